// One sensor: what it says now, and what it said before, as a line or as times of being on.

import { clock, count, html, moment, now, number, say, setMoment, svg, watchWidth } from "./elements.js";

const HEIGHT_PX = { line: 64, timeline: 26 };
const MARGIN_PX = 4;

export class SensorView {
  name = "";
  rank = 2;
  #sensor = null;
  #width = 0;
  #title = html("h3");
  #value = html("p", { class: "value" });
  #time = moment();
  #graph = html("div", { class: "graph" });
  #range = html("p", { class: "range" });
  #from = html("p", { class: "about" });

  constructor() {
    this.element = html("article", { class: "card" },
      this.#title, this.#value, this.#graph, this.#range,
      html("p", { class: "about" }, this.#time), this.#from);
    watchWidth(this.#graph, (width) => {
      this.#width = width;
      this.#draw();
    });
  }

  show(sensor) {
    this.#sensor = sensor;
    this.name = sensor.name;
    this.rank = sensor.class === "battery" ? 0 : this.#isDrawn ? 1 : 2;
    this.element.dataset.id = sensor.id;
    say(this.#title, sensor.name);
    this.#title.title = sensor.id;
    this.#value.dataset.state = sensor.binary ? sensor.shown : "";
    const unit = sensor.unit === null ? [] : [html("span", { class: "unit" }, ` ${sensor.unit}`)];
    this.#value.replaceChildren(shown(sensor), ...unit);
    setMoment(this.#time, sensor.time);
    say(this.#range, sensor.lowest === null ? ""
      : `lowest ${number(sensor.lowest)} · highest ${number(sensor.highest)}`);
    say(this.#from, count(sensor.count, "value")
      + (this.#isDrawn ? `, drawn from ${clock(this.#history[0][0])} on` : ""));
    this.#draw();
  }

  get #history() {
    return this.#sensor.binary ? this.#sensor.changes : this.#sensor.values;
  }

  get #isDrawn() {
    return this.#history.length > 0;
  }

  #draw() {
    this.#graph.hidden = this.#sensor !== null && !this.#isDrawn;
    this.#range.hidden = this.#range.textContent === "";
    if (this.#sensor === null || !this.#isDrawn || this.#width === 0) return;
    const height = this.#sensor.binary ? HEIGHT_PX.timeline : HEIGHT_PX.line;
    const times = new Times(this.#history[0][0], this.#sensor.time, this.#width);
    const drawing = this.#sensor.binary
      ? timeline(this.#sensor.changes, times, height) : graph(this.#sensor, times, height);
    const label = this.#sensor.binary ? told(this.#sensor.changes) : summary(this.#sensor);
    this.#graph.replaceChildren(svg("svg",
      { role: "img", "aria-label": label, width: this.#width, height },
      svg("title", {}, label), ...drawing));
  }
}

// A time as a person here reads it; everything else as Home Assistant shows it.
function shown(sensor) {
  const at = sensor.class === "timestamp" ? Date.parse(sensor.shown) : NaN;
  return Number.isNaN(at) ? sensor.shown : clock(at);
}

function summary({ name, shown, unit, lowest, highest }) {
  const units = unit === null ? "" : ` ${unit}`;
  return `${name}: ${shown}${units}`
    + (lowest === null ? "" : `, from ${number(lowest)} to ${number(highest)}${units}`);
}

function told(changes) {
  return changes.slice(-5).map(([at, state]) => `${state} from ${clock(at)}`).join(", ");
}

/** From times to pixels: from the first reading to the last one, at least a minute. */
class Times {
  constructor(from, to, width) {
    this.from = from;
    this.to = Math.max(to, from + 60_000, Math.min(now(), to + 60_000));
    this.width = width;
  }

  x(at) {
    const share = (Math.min(at, this.to) - this.from) / (this.to - this.from);
    return MARGIN_PX + share * (this.width - 2 * MARGIN_PX);
  }
}

// A value holds until the next one: the agent does not tell what did not change.
function graph({ values, time }, times, height) {
  const numbers = values.filter(([, value]) => value !== null).map(([, value]) => value);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const extent = most - least || 1;
  const y = (value) => most === least ? height / 2
    : height - MARGIN_PX - ((value - least) / extent) * (height - 2 * MARGIN_PX);
  const [lines, areas] = [[], []];
  let begun = null;
  const end = (x) => {
    if (begun === null) return;
    lines[lines.length - 1] += ` H${x.toFixed(1)}`;
    areas.push(`${lines.at(-1)} V${height} H${begun.toFixed(1)} Z`);
    begun = null;
  };
  for (const [at, value] of values) {
    const x = times.x(at);
    if (value === null) {
      end(x);
    } else if (begun === null) {
      begun = x;
      lines.push(`M${x.toFixed(1)} ${y(value).toFixed(1)}`);
    } else {
      lines[lines.length - 1] += ` H${x.toFixed(1)} V${y(value).toFixed(1)}`;
    }
  }
  const last = values.at(-1);
  end(times.x(Math.max(time, last[0])));
  const dot = last[1] === null ? []
    : [svg("circle", { class: "newest", cx: times.x(time).toFixed(1), cy: y(last[1]).toFixed(1), r: 3 })];
  return [
    ...areas.map((d) => svg("path", { class: "area", d })),
    ...lines.map((d) => svg("path", { class: "line", d })), ...dot];
}

// A bar where it is on, a line where it is off, nothing where that is not known.
function timeline(changes, times, height) {
  return changes.map(([at, state], index) => {
    const x = times.x(at);
    const end = times.x(changes[index + 1]?.[0] ?? times.to);
    const title = svg("title", {}, `${state} from ${clock(at)}`);
    const [y, tall] = state === "on" ? [2, height - 4] : [height / 2 - 1, 2];
    return svg("rect", {
      class: ["on", "off"].includes(state) ? `state-${state}` : "state-unknown",
      x: x.toFixed(1), y, width: Math.max(1, end - x).toFixed(1), height: tall }, title);
  });
}
