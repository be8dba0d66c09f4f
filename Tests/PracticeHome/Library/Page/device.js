// One device: what it is, where it is, and what its sensors say.

import { count, html, moment, number, say, setMoment } from "./elements.js";
import { SensorView } from "./sensor.js";
import { TrackView } from "./track.js";

// What Home Assistant keeps of a location, beside the position itself.
const FIELDS = [
  ["gps_accuracy", "Accuracy", (value) => `±${number(value)} m`],
  ["speed", "Speed", (value) => `${number(value)} m/s`],
  ["course", "Course", (value) => `${number(value)}°`],
  ["altitude", "Altitude", (value) => `${number(value)} m`],
  ["battery", "Battery", (value) => `${number(value)} %`],
  ["location_name", "Place", (value) => String(value)],
];

export class DeviceView {
  name = "";
  #sensors = new Map();
  #title = html("h2");
  #about = html("p", { class: "about" });
  #warning = html("p", { class: "warning", role: "alert", hidden: "" });
  #last = html("span");
  #time = moment();
  #messages = html("span");
  #place = html("dl", { class: "place" });
  #placeTime = moment();
  #map = html("div", { class: "map" });
  #track = new TrackView();
  #cards = html("div", { class: "cards" });
  #rest = html("p", { class: "about", hidden: "" });
  #happenings = html("ul", { class: "happenings" });

  constructor(key) {
    this.#title.id = `device-${key}`;
    this.#map.hidden = true;
    this.#map.append(this.#track.element, html("div", {},
      html("h3", {}, "Last location"), html("p", { class: "about" }, this.#placeTime), this.#place));
    this.element = html("section", { class: "device", "aria-labelledby": this.#title.id },
      this.#title, this.#about, this.#warning,
      html("p", { class: "last" }, "Last message: ", this.#last, ", ", this.#time, this.#messages),
      this.#map, this.#cards, this.#rest, this.#happenings);
  }

  show(device) {
    this.name = device.name;
    say(this.#title, device.name);
    const manner = device.sealed === null ? "" : device.sealed
      ? " · its messages are sealed" : " · its messages are readable to everybody on the way";
    say(this.#about, (device.about ?? "") + manner);
    this.#warn(device);
    say(this.#last, device.last ?? "none");
    setMoment(this.#time, device.time);
    say(this.#messages, ` · ${count(device.messages, "message")}`);
    if (device.track) this.#showTrack(device.name, device.track);
    for (const sensor of device.sensors) this.#showSensor(sensor);
    this.#order();
    this.#rest.hidden = device.omitted === 0;
    say(this.#rest, `${count(device.omitted, "more sensor")} not shown.`);
    this.#showHappenings(device);
  }

  #warn(device) {
    const text = device.deleted ? "Its registration was deleted."
      : device.alive === false
        ? "It registered without os_version: Home Assistant answers 201 and never hears it." : "";
    this.#warning.hidden = text === "";
    say(this.#warning, text);
  }

  #showTrack(name, track) {
    this.#map.hidden = false;
    this.#track.show(name, track);
    if (track.time !== null) setMoment(this.#placeTime, track.time);
    const { gps } = track.latest;
    const facts = gps ? [["Position", `${gps[0].toFixed(5)}, ${gps[1].toFixed(5)}`]] : [];
    for (const [key, title, text] of FIELDS) {
      if (track.latest[key] !== undefined) facts.push([title, text(track.latest[key])]);
    }
    facts.push(["Locations", String(track.count)]);
    this.#place.replaceChildren(...facts.map(([title, text]) =>
      html("div", {}, html("dt", {}, title), html("dd", {}, text))));
  }

  #showSensor(sensor) {
    if (!this.#sensors.has(sensor.id)) this.#sensors.set(sensor.id, new SensorView());
    this.#sensors.get(sensor.id).show(sensor);
  }

  // Batteries first, then what is drawn, then the rest; each by name.
  #order() {
    const views = [...this.#sensors.values()].sort((one, other) =>
      one.rank - other.rank || one.name.localeCompare(other.name));
    views.forEach((view, index) => {
      if (this.#cards.children[index] !== view.element) {
        this.#cards.insertBefore(view.element, this.#cards.children[index] ?? null);
      }
    });
  }

  #showHappenings({ happenings, late }) {
    const rows = happenings.map((happening) => {
      const time = moment();
      setMoment(time, happening.time);
      return html("li", {}, html("b", {}, happening.name), ` ${happening.count}×, last `, time);
    });
    if (late.readings + late.points > 0) {
      rows.push(html("li", {}, `Came late, as history: ${count(late.readings, "reading")} and `
        + `${count(late.points, "position")}`));
    }
    this.#happenings.hidden = rows.length === 0;
    this.#happenings.replaceChildren(...rows);
  }
}
