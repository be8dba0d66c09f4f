// A track on a plane: north is up, metres are to scale in both directions.

import { clock, count, html, number, svg, watchWidth } from "./elements.js";

// Wide enough for the arrow to the north and for the scale bar beside the track.
const MARGIN_PX = { x: 44, y: 36 };
// A device that stands still is not magnified until its noise looks like a voyage.
const EXTENT_MIN_M = 60;
// Accuracies beyond this share of all do not shrink the track; their circles are cut off.
const FITTING_SHARE = 0.9;
const SCALE_BAR_PX = 110;

export class TrackView {
  #track = null;
  #name = "";
  #width = 0;
  element = html("figure", { class: "track" });

  constructor() {
    watchWidth(this.element, (width) => {
      this.#width = width;
      this.#draw();
    });
  }

  show(name, track) {
    this.#name = name;
    this.#track = track;
    this.#draw();
  }

  #draw() {
    if (this.#track === null || this.#width === 0) return;
    if (this.#track.points.length === 0) {
      this.element.replaceChildren(html("p", { class: "hint" }, "No position yet."));
      return;
    }
    const height = Math.round(Math.min(420, Math.max(240, this.#width * 0.62)));
    const view = new Projection(this.#track.points, this.#width, height);
    const label = `Track of ${this.#name}: ${count(view.points.length, "position")}, `
      + `${metres(view.length)}, from ${clock(view.first.at)} to ${clock(view.last.at)}`;
    this.element.replaceChildren(
      svg("svg", { role: "img", "aria-label": label, width: this.#width, height },
        svg("title", {}, label), ...grid(view), ...circles(view), line(view), ...dots(view),
        start(view), ...present(view, this.#track.latest.course), ...scaleBar(view), ...north(view)),
      html("figcaption", {}, label));
  }
}

/** "850 m", "1.2 km". */
function metres(length) {
  return length < 1000 ? `${number(Math.round(length))} m` : `${number(length / 1000)} km`;
}

/** From degrees to pixels. The lengths of a degree are those of the WGS 84 ellipsoid. */
class Projection {
  constructor(rows, width, height) {
    Object.assign(this, { width, height });
    const longitude = rows[0][2];
    this.points = rows.map(([at, latitude, east, accuracy, isLate]) => (
      // The short way round: a track may cross the 180th meridian.
      { at, latitude, longitude: longitude + wrapped(east - longitude), accuracy, isLate }));
    this.first = this.points[0];
    this.last = this.points.at(-1);
    const middle = span(this.points.map((point) => point.latitude));
    const centre = span(this.points.map((point) => point.longitude));
    const angle = (middle.centre * Math.PI) / 180;
    const metresNorth = 111132.92 - 559.82 * Math.cos(2 * angle) + 1.175 * Math.cos(4 * angle);
    const metresEast = 111412.84 * Math.cos(angle) - 93.5 * Math.cos(3 * angle);
    for (const point of this.points) {
      point.east = (point.longitude - centre.centre) * metresEast;
      point.north = (point.latitude - middle.centre) * metresNorth;
    }
    this.#fit(middle.size * metresNorth, centre.size * metresEast);
    this.length = this.points.slice(1).reduce((sum, point, index) => sum
      + Math.hypot(point.east - this.points[index].east, point.north - this.points[index].north), 0);
  }

  #fit(metresHigh, metresWide) {
    const accuracies = this.points.map((point) => point.accuracy).sort((a, b) => a - b);
    const radius = accuracies[Math.floor((accuracies.length - 1) * FITTING_SHARE)];
    const extent = (metres) => Math.max(EXTENT_MIN_M, metres + 2 * radius);
    this.pixelsPerMetre = Math.min(
      (this.width - 2 * MARGIN_PX.x) / extent(metresWide),
      (this.height - 2 * MARGIN_PX.y) / extent(metresHigh));
    for (const point of this.points) {
      point.x = this.width / 2 + point.east * this.pixelsPerMetre;
      point.y = this.height / 2 - point.north * this.pixelsPerMetre;
    }
  }

  /** The longest of 1, 2, 5, 10, 20 … metres that fits into so many pixels. */
  roundLength(pixels) {
    const most = pixels / this.pixelsPerMetre;
    const power = 10 ** Math.floor(Math.log10(most));
    return power * [5, 2, 1].find((factor) => factor * power <= most);
  }
}

function wrapped(degrees) {
  return ((degrees + 540) % 360) - 180;
}

function span(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return { centre: (least + most) / 2, size: most - least };
}

function line({ points }) {
  return svg("polyline", {
    class: "way", points: points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ") });
}

function circles({ points, pixelsPerMetre }) {
  return points.map(({ x, y, accuracy }) => svg("circle", {
    class: "accuracy", cx: x.toFixed(1), cy: y.toFixed(1),
    r: (accuracy * pixelsPerMetre).toFixed(1) }));
}

function dots({ points }) {
  return points.map(({ at, x, y, latitude, longitude, accuracy, isLate }) =>
    svg("circle", {
      class: isLate ? "point late" : "point", cx: x.toFixed(1), cy: y.toFixed(1), r: 2.5 },
    svg("title", {}, `${clock(at)}: ${latitude.toFixed(5)}, ${longitude.toFixed(5)} `
      + `±${number(accuracy)} m${isLate ? ", came late" : ""}`)));
}

function start({ first }) {
  return svg("circle", { class: "start", cx: first.x.toFixed(1), cy: first.y.toFixed(1), r: 5 },
    svg("title", {}, `Start, ${clock(first.at)}`));
}

// An arrow where it is heading, a disc where that is not known.
function present({ last }, course) {
  const title = svg("title", {}, `Here, ${clock(last.at)}`);
  const at = `translate(${last.x.toFixed(1)} ${last.y.toFixed(1)})`;
  return [typeof course === "number"
    ? svg("path", {
      class: "present", d: "M0 -13 L9 10 L0 5 L-9 10 Z", transform: `${at} rotate(${course})` }, title)
    : svg("circle", { class: "present", r: 7, transform: at }, title)];
}

function grid(view) {
  const step = view.roundLength(SCALE_BAR_PX) * view.pixelsPerMetre;
  const lines = [];
  for (let x = (view.width / 2) % step; x < view.width; x += step) {
    lines.push(svg("path", { class: "grid", d: `M${x.toFixed(1)} 0 V${view.height}` }));
  }
  for (let y = (view.height / 2) % step; y < view.height; y += step) {
    lines.push(svg("path", { class: "grid", d: `M0 ${y.toFixed(1)} H${view.width}` }));
  }
  return lines;
}

function scaleBar(view) {
  const length = view.roundLength(SCALE_BAR_PX);
  const pixels = length * view.pixelsPerMetre;
  const y = view.height - 14;
  return [
    svg("path", { class: "scale", d: `M12 ${y - 5} V${y} H${(12 + pixels).toFixed(1)} V${y - 5}` }),
    svg("text", { class: "label", x: 16, y: y - 5, "data-scale": length }, metres(length)),
  ];
}

function north(view) {
  const x = view.width - 20;
  return [
    svg("path", { class: "scale", d: `M${x} 40 V12 M${x - 5} 19 L${x} 12 L${x + 5} 19` }),
    svg("text", { class: "label", x, y: 54, "text-anchor": "middle" }, "N"),
  ];
}
