// Elements of the page. Foreign text becomes text and never markup: there is no other way in here.

const SVG = "http://www.w3.org/2000/svg";

/** An element of HTML. Attributes that are null are left out; children are elements or texts. */
export function html(name, attributes = {}, ...children) {
  return furnish(document.createElement(name), attributes, children);
}

/** An element of SVG. */
export function svg(name, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, name), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Changes a text only where it differs, so that what a person selected stays selected. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A place for a time of day, and how long ago that is; see `tick`. */
export function moment() {
  return html("time");
}

/** Sets the time of a `moment`, in milliseconds since 1970. */
export function setMoment(element, at) {
  element.dataset.at = at;
  element.dateTime = new Date(at).toISOString();
  element.title = new Date(at).toLocaleString();
  refresh(element);
}

// How far the clock of the practice home is ahead of the one here.
let lead = 0;

/** Tells what time it is at the practice home. */
export function setClock(now) {
  lead = now - Date.now();
}

/** Milliseconds since 1970 at the practice home. */
export function now() {
  return Date.now() + lead;
}

/** Brings every `moment` of the page up to date. */
export function tick() {
  for (const element of document.querySelectorAll("time[data-at]")) refresh(element);
}

function refresh(element) {
  const at = Number(element.dataset.at);
  say(element, `${clock(at)} (${ago(now() - at)})`);
}

/** "12:03:05" here, with the day in front if it is not today. */
export function clock(at) {
  const time = new Date(at);
  const two = (part) => String(part).padStart(2, "0");
  const text = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":");
  if (time.toDateString() === new Date(now()).toDateString()) return text;
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${text}`;
}

function ago(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 2) return "now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86400)} d ago`;
}

/** A number without digits that mean nothing. */
export function number(value) {
  const digits = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 100 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

/** "1 reading", "2 readings". */
export function count(amount, one) {
  return `${amount} ${one}${amount === 1 ? "" : "s"}`;
}

/** Calls back with the width of an element, now and whenever it changes. */
export function watchWidth(element, draw) {
  new ResizeObserver(([entry]) => draw(Math.round(entry.contentRect.width))).observe(element);
}
