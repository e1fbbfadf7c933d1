// The space-time diagram and the heat map.

const TIME_CLASS = { B: "time-busy", S: "time-stalled", R: "time-starved" };

// One path for each state keeps the picture small however long the run is.
function makeTime(host, run, bound, onPick) {
  const left = 74;
  const width = clamp(Math.floor(((host.clientWidth || 1000) - left - 16) / Math.max(run.film.cycles, 1)), 3, 120);
  const height = clamp(Math.floor(420 / run.array.pes.length), 3, 20);
  const [across, down] = [run.film.cycles * width, run.array.pes.length * height];
  const gap = height >= 9 ? 1.5 : 0.5;
  const bar = (pe, from, to) => `M${left + from * width} ${20 + pe * height}h${(to - from) * width - gap * 0.5}v${height - gap}H${left + from * width}Z`;
  const paths = { B: "", S: "", R: "" };
  run.film.spans.forEach((spans, pe) => {
    for (const [letter, from, to] of spans) {
      paths[letter] += bar(pe, from, to);
    }
  });
  const forever = foreverSpans(run).map((span, pe) => (span && span[1] < run.cycles
    ? svg("path", { class: `${TIME_CLASS[span[0]]} time-forever`, d: bar(pe, span[1], run.cycles) }, svg("title", {}, "waits for ever")) : null));
  const cursor = svg("rect", { class: "time-cursor", y: 17, width: width + 2, height: down + 5, rx: 2 });
  const picture = svg("svg", { width: left + across + width + 8, height: down + 42, role: "img", "aria-label": "States of the PEs over time" },
    ...timeAxis(run, { left, width, height, across, down }),
    ...Object.entries(paths).map(([letter, d]) => svg("path", { class: TIME_CLASS[letter], d })), ...forever.filter(Boolean), ...timeBound(run, bound, { left, width, down }), cursor);
  picture.addEventListener("click", (event) => {
    const x = event.clientX - picture.getBoundingClientRect().left - left;
    onPick(clamp(Math.floor(x / width), 0, run.film.cycles));
  });
  host.replaceChildren(picture);
  byId("time-legend").replaceChildren(...stateLegend());
  return { show: (frame) => cursor.setAttribute("x", left + frame * width - 1) };
}

// Where the bound would let a run end.
function timeBound(run, bound, { left, width, down }) {
  if (!bound || bound.cycles >= run.film.cycles) return [];
  const x = left + bound.cycles * width;
  return [svg("line", { class: "bound-line", x1: x, x2: x, y1: 17, y2: down + 24 }),
    svg("text", { class: "axis", x: x + 4, y: down + 34 }, `bound: ${count(bound.cycles)} cycles`)];
}

function timeAxis(run, { left, width, height, across, down }) {
  const marks = [svg("rect", { class: "time-ground", x: left, y: 19, width: across, height: down })];
  const rows = niceStep(13 / height);
  for (let pe = 0; pe < run.array.pes.length; pe += rows) {
    marks.push(svg("text", { class: "axis", x: left - 8, y: 20 + (pe + 0.5) * height + 3, "text-anchor": "end" }, point(run.array.pes[pe])));
  }
  const columns = niceStep(30 / width);
  for (let cycle = 0; cycle < run.film.cycles; cycle += columns) {
    marks.push(svg("text", { class: "axis", x: left + (cycle + 0.5) * width, y: 12, "text-anchor": "middle" }, String(cycle)));
  }
  marks.push(svg("text", { class: "axis", x: left - 8, y: 12, "text-anchor": "end" }, "cycle"));
  return marks;
}

function swatch(letter) {
  return svg("svg", { width: 16, height: 16, "aria-hidden": "true" }, svg("rect", { class: `cell ${letter}`, x: 1, y: 1, width: 14, height: 14, rx: 3 }));
}

function stateLegend() {
  return Object.keys(STATES).map((letter) => html("span", {}, swatch(letter), STATES[letter].name));
}

// A cell for a PE or a block of PEs; the fuller, the busier.
function makeHeat(host, { rows, columns, block, cells }) {
  const size = clamp(Math.floor(((host.clientWidth || 500) - 4) / columns), 6, 56);
  const picture = svg("svg", { width: columns * size + 2, height: rows * size + 2, role: "img", "aria-label": "Share of busy cycles of each PE" });
  cells.forEach((value, number) => {
    if (value !== null) picture.append(...heatCell(value, (number % columns) * size, Math.floor(number / columns) * size, size));
  });
  const covers = block[0] * block[1] > 1 ? `Each cell is the mean of ${block[0]} × ${block[1]} PEs.` : "";
  const known = cells.filter((value) => value !== null);
  const percent = (value) => `${Math.round(value * 100)}%`;
  const [least, most] = [Math.min(...known, 1), Math.max(...known, 0)].map(percent);
  const spread = least === most ? `All ${least}. ` : `From ${least} to ${most}. `;
  host.replaceChildren(picture, html("p", { class: "row-legend" }, spread + covers));
}

function heatCell(value, x, y, size) {
  const box = { x: x + 1, y: y + 1, width: size - 1.5, height: size - 1.5, rx: size > 20 ? 3 : 0 };
  const text = `${Math.round(value * 100)}%`;
  const middle = { x: x + size / 2, y: y + size / 2 };
  const label = size < 34 ? null : svg("text", { ...middle, class: `heat-value ${value > 0.55 ? "hot" : ""}` }, text);
  return [
    svg("rect", { ...box, class: "heat-ground" }),
    svg("rect", { ...box, class: "heat", "fill-opacity": 0.06 + 0.94 * value }, svg("title", {}, text)),
    label,
  ].filter(Boolean);
}
