// The connection to the practice home, and the parts of the page that belong to no device.

import { clock, count, html, moment, say, setClock, setMoment, tick } from "./elements.js";
import { DeviceView } from "./device.js";

// The practice home is heard every five seconds, whatever happens there.
const SILENCE_MAX_MS = 15_000;
const RETRY_MS = 2_000;

const place = (id) => document.getElementById(id);
const devices = new Map();
let silence = 0;

function connect() {
  const source = new EventSource("/practice/events");
  const listen = (name, take) => source.addEventListener(name, (event) => {
    const content = JSON.parse(event.data);
    heard(source);
    take(content);
  });
  listen("state", (content) => {
    connection("live", "Live");
    show(content);
  });
  listen("beat", ({ now }) => {
    connection("live", "Live");
    setClock(now);
  });
  listen("full", ({ listeners }) => {
    connection("lost", `${count(listeners, "page")} are open, and that is the most. Close one.`);
  });
  source.onerror = () => {
    if (place("connection").dataset.state !== "lost") lost();
    // The browser tries again by itself, unless it thinks that there is no hope.
    if (source.readyState === EventSource.CLOSED) restart(source, RETRY_MS);
  };
  heard(source);
}

// A connection may also fall silent without an end: a stopped process, a tunnel.
function heard(source) {
  clearTimeout(silence);
  silence = setTimeout(() => {
    lost();
    restart(source, 0);
  }, SILENCE_MAX_MS);
}

function restart(source, delay) {
  source.close();
  clearTimeout(silence);
  silence = setTimeout(connect, delay);
}

function lost() {
  connection("lost", `No connection since ${clock(Date.now())}. Trying again …`);
}

function connection(state, text) {
  place("connection").dataset.state = state;
  say(place("connection"), text);
}

// ---- what the practice home tells ---------------------------------------------------------------

function show(content) {
  setClock(content.now);
  // Another practice home, or the same one after a restart: it has forgotten everything.
  if (content.begin) forget();
  say(place("release"), `As strict as Home Assistant ${content.release}`);
  showCounters(content.counters);
  for (const device of content.devices) {
    if (!devices.has(device.key)) {
      const view = new DeviceView(device.key);
      devices.set(device.key, view);
      place("devices").append(view.element);
    }
    devices.get(device.key).show(device);
  }
  for (const key of devices.keys()) if (!content.keys.includes(key)) remove(key);
  place("nothing").hidden = devices.size > 0;
  const names = [...devices.values()].map((view) => view.name);
  document.title = [...names, "Practice home"].join(" · ");
  if (content.refusals) showRefusals(content.refusals);
  tick();
}

function forget() {
  for (const key of devices.keys()) remove(key);
}

function remove(key) {
  devices.get(key).element.remove();
  devices.delete(key);
}

function showCounters(counters) {
  const kinds = ["readings", "locations", "refused", "sealed", "plain"];
  place("counters").replaceChildren(...kinds.map((kind) =>
    html("div", { "data-count": kind },
      html("dt", {}, kind), html("dd", {}, String(counters[kind])))));
}

function showRefusals(refusals) {
  place("nothing-refused").hidden = refusals.length > 0;
  place("refusals").hidden = refusals.length === 0;
  place("refusals").tBodies[0].replaceChildren(...refusals.map(refusalRow));
}

function refusalRow(refusal) {
  const time = moment();
  setMoment(time, refusal.time);
  const cell = (title, ...children) => html("td", { "data-title": title }, html("span", {}, ...children));
  return html("tr", {},
    cell("When", time),
    cell("Device", refusal.device ?? "–"),
    cell("Answer", html("b", {}, String(refusal.status)), ` ${refusal.manner}`),
    cell("Reason", refusal.reason),
    cell("Times", String(refusal.count)));
}

setInterval(tick, 1000);
connect();
