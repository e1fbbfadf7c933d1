// The array at a cycle: what each PE does, and the words on their way.

const STATES = {
  B: { name: "busy", means: "works" },
  S: { name: "stalled", means: "waits to send" },
  R: { name: "starved", means: "waits to receive" },
  I: { name: "idle", means: "no work in this cycle" },
};

// Whether the film goes on to the end of the run.
function isWhole(run) {
  return run.film.cycles === run.cycles;
}

// The PEs that wait for ever, each as a span from its last clock to after the end.
function foreverSpans(run) {
  const spans = run.array.pes.map(() => null);
  const waits = new Map((run.deadlock?.listed ?? []).map((wait) => [point(wait.pe), wait]));
  run.array.pes.forEach((coordinates, pe) => {
    const wait = waits.get(point(coordinates));
    if (wait && isWhole(run)) spans[pe] = [wait.cause === "full" ? "S" : "R", wait.clock, run.cycles + 1];
  });
  return spans;
}

// What every PE does in every cycle, a letter each; the last frame is the end of the run.
function statesOf(run) {
  const forever = foreverSpans(run);
  return run.film.spans.map((spans, pe) => {
    const states = new Array(run.film.cycles + 1).fill("I");
    for (const [letter, from, to] of [...spans, forever[pe]].filter(Boolean)) states.fill(letter, from, to);
    return states;
  });
}

// A PE as a square with a letter on a plate, so that patterns do not hide it; where it is large enough, with what it computes in its place.
function drawPe(layout, coordinates) {
  const { x, y } = layout.at(coordinates);
  const half = layout.cell / 2;
  const size = clamp(layout.cell * 0.4, 8, 20);
  const group = svg("g", { class: "pe", "data-state": "I", "data-pe": point(coordinates) },
    svg("rect", { class: "cell", x: x - half, y: y - half, width: layout.cell, height: layout.cell, rx: Math.min(6, layout.cell / 6) }),
    svg("circle", { class: "plate", cx: x, cy: y, r: size * 0.72 }),
    svg("text", { class: "state", x, y, "font-size": size }),
    svg("text", { class: "formula", x, y: y - 7 }), svg("text", { class: "at", x, y: y + 11 }),
    svg("title"));
  return group;
}

// The ways of all wires; those that join the same two PEs, either way round, run side by side.
function wireWays(run, layout) {
  const lanes = new Map();
  const taken = run.film.wires.map(([, from, to]) => {
    const key = from < to ? `${from},${to}` : `${to},${from}`;
    lanes.set(key, (lanes.get(key) ?? 0) + 1);
    return { key, lane: lanes.get(key) - 1 };
  });
  const gap = clamp(layout.pitch * 0.14, 3, 11);
  return run.film.wires.map(([, from, to], wire) => {
    const [start, end] = [layout.at(run.array.pes[from]), layout.at(run.array.pes[to])];
    const { key, lane } = taken[wire];
    if (from === to) return loopAt(start, layout.cell / 2, lane);
    const far = Math.hypot((end.x - start.x) / layout.across, (end.y - start.y) / layout.pitch) > 1.6;
    const shift = (lane - (lanes.get(key) - 1) / 2) * gap * (from < to ? 1 : -1);
    return way(start, end, layout.cell / 2, far ? 0.22 : 0, shift);
  });
}

// The line of each bus, from its first PE to its last.
function drawLines(run, layout) {
  return run.film.lines.map(([bus, pes]) => {
    const ends = pes.map((pe) => layout.at(run.array.pes[pe]));
    const shift = layout.cell * 0.36;
    const [first, last] = [ends[0], ends[ends.length - 1]];
    const name = svg("title", {}, `bus ${run.buses[bus].name}`);
    return svg("line", { class: "line", x1: first.x - shift, y1: first.y - shift, x2: last.x - shift, y2: last.y - shift }, name);
  });
}

// A word as its channel's mark, with its value where there is room.
function drawWord(run, [wire, sent, , value], room, work) {
  const [channel, sender] = run.film.wires[wire];
  const name = run.channels[channel].name;
  const element = work?.element(sender, sent, tensorOf(name)) ?? null;
  const said = element !== null && element.length * 7 <= room ? element : short(value);
  const text = room > 0 ? svg("text", { y: -8 }, said) : null;
  return svg("g", { class: "word", "data-channel": name }, glyph(channel, room > 0 ? 4.5 : 3.2), text, svg("title", {}, `${element ?? name}: ${value}`));
}

// For each wire whether there is room for text beside it: at most two wires join its PEs, and these are two.
function airyWires(run) {
  const pairOf = ([, from, to]) => (from < to ? `${from},${to}` : `${to},${from}`);
  const counts = new Map();
  run.film.wires.forEach((wire) => counts.set(pairOf(wire), (counts.get(pairOf(wire)) ?? 0) + 1));
  return run.film.wires.map((wire) => wire[1] !== wire[2] && counts.get(pairOf(wire)) <= 2);
}

// The name of the tensor beside a wire: on each where there is room, else on one of each channel; none where it would not be legible.
function wireNames(run, ways, airy, layout) {
  const all = run.film.wires.length <= 40 && layout.pitch >= 110;
  const named = new Set();
  return run.film.wires.flatMap(([channel], number) => {
    const label = wireName(tensorOf(run.channels[channel].name), ways[number], layout);
    if (!airy[number] || !label || (!all && named.has(channel))) return [];
    named.add(channel);
    label.classList.add(`w${channel % 6}`);
    return [label];
  });
}

// A name beside the middle of a way, or below it; nothing where the gap between the cells is too small.
function wireName(name, one, layout) {
  const { x, y } = along(one, 0.5);
  const isDown = Math.abs(one.end.y - one.start.y) > Math.abs(one.end.x - one.start.x);
  const gap = isDown ? layout.pitch : layout.across - layout.cell;
  if (name.length * 7 > gap || layout.pitch < 40) return null;
  return svg("text", { class: "wire-name", x: x + (isDown ? 7 : 0), y: y + (isDown ? 4 : 15), "text-anchor": isDown ? "start" : "middle" }, name);
}

// How far a word has come by the end of a cycle: it leaves at `sent` and is there at `received`.
function share([, sent, received], frame) {
  const length = received === null ? Math.max(2, frame - sent + 1) : received - sent;
  return clamp((frame - sent + 1) / (length + 1), 0, 1);
}

function isUnderWay([, sent, received], frame) {
  return sent <= frame && (received === null || frame < received);
}

// Everything that is drawn, once.
function drawArray(host, run) {
  const layout = layOut(run.array, host.clientWidth || 800, 230);
  const [ways, airy, spacious] = [wireWays(run, layout), airyWires(run), layout.pitch >= 64];
  const cells = run.array.pes.map((coordinates) => drawPe(layout, coordinates));
  const lines = drawLines(run, layout);
  const wires = svg("g", { "aria-hidden": "true" }, ...lines,
    ...ways.flatMap((one) => [svg("path", { class: "wire", d: pathOf(one) }), tip(one, spacious ? 7 : 4, "tip")]), ...wireNames(run, ways, airy, layout));
  const [words, waits] = [svg("g", { class: "words" }), svg("g", { class: "waits" })];
  host.replaceChildren(svg("svg", { width: layout.width, height: layout.height, role: "img", "aria-label": "Array of PEs" },
    axes(run.array, layout), wires, ...cells, words, waits));
  return { layout, ways, airy, spacious, cells, lines, words, waits, shown: new Map() };
}

// The whole picture; `show(frame)` moves it to a cycle.
function makeArray(host, run, work, onPick) {
  const states = statesOf(run);
  const drawn = { ...drawArray(host, run), work };
  const { layout, cells, lines, waits } = drawn;
  cells.forEach((cell, pe) => cell.addEventListener("click", () => onPick(pe)));
  const show = (frame) => {
    cells.forEach((cell, pe) => showState(cell, run.array.pes[pe], states[pe][frame], work && states[pe][frame] !== "I" ? work.at(pe, frame) : [], drawn));
    showWords(run, drawn, frame);
    lines.forEach((line, number) => line.classList.toggle("live", run.film.heard.some(([on, , clock]) => on === number && clock === frame)));
    const atEnd = run.deadlock && frame === run.film.cycles && isWhole(run);
    waits.replaceChildren(...(atEnd ? drawWaits(run, layout) : []));
    markBlocked(run, cells, atEnd);
  };
  const pick = (pe) => cells.forEach((cell, number) => cell.classList.toggle("picked", number === pe));
  return { show, pick, states };
}

// The letter of a state, or what is computed and at which point.
function showState(cell, coordinates, state, points, { layout, work }) {
  const key = `${state}${JSON.stringify(points)}`;
  if (cell.dataset.drawn === key) return;
  [cell.dataset.state, cell.dataset.drawn] = [state, key];
  const says = points.map(([number, at]) => `${formulaText(work.spaces[number], at)} at ${point(at)}`);
  const isWritten = writeWork(cell, layout.cell, points, work);
  cell.querySelector(".state").textContent = state === "I" || isWritten ? "" : state;
  cell.querySelector(".plate").style.visibility = isWritten ? "hidden" : "visible";
  cell.querySelector("title").textContent = `PE ${point(coordinates)}: ${[STATES[state].name, ...says].join(", ")}`;
}

// Writes the formula of the first point and the point, each in the largest letters that fit; whether there is room for one.
function writeWork(cell, width, points, work) {
  const [number, at] = points[0] ?? [null, []];
  const texts = number === null ? ["", ""] : [valueText(work.spaces[number], at, true), `(${at.join(",")})`];
  if (points.length > 1) texts[1] = `${points.length} points`;
  const written = [".formula", ".at"].map((name, row) => {
    const size = Math.min(row === 0 ? 15 : 11, (width - 8) / Math.max(texts[row].length, 1) / (row === 0 ? 0.68 : 0.6));
    const element = cell.querySelector(name);
    element.textContent = size >= 7.5 ? texts[row] : "";
    element.setAttribute("font-size", size.toFixed(1));
    return element.textContent !== "";
  });
  // A point by itself stands in the middle.
  cell.querySelector(".at").setAttribute("transform", written[0] ? "" : "translate(0, -11)");
  return written.includes(true);
}

// Words keep their element from cycle to cycle, so that they move.
function showWords(run, { layout, ways, airy, words, shown, spacious, work }, frame) {
  const present = new Set();
  run.film.words.forEach((word, number) => {
    if (!isUnderWay(word, frame)) return;
    present.add(number);
    if (!shown.has(number)) shown.set(number, words.appendChild(drawWord(run, word, spacious && airy[word[0]] ? layout.pitch : 0, work)));
    const { x, y } = along(ways[word[0]], share(word, frame));
    shown.get(number).setAttribute("style", `transform: translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`);
  });
  for (const [number, element] of shown) {
    if (!present.has(number)) { element.remove(); shown.delete(number); }
  }
}

function markBlocked(run, cells, atEnd) {
  const blocked = new Set((run.deadlock?.listed ?? []).map((wait) => point(wait.pe)));
  cells.forEach((cell) => cell.classList.toggle("blocked", Boolean(atEnd) && blocked.has(cell.dataset.pe)));
}

// The first and the last of the listed waits of every cycle, the last left out.
function cyclesOf(waits) {
  let end = 0;
  return [waits.cycle, ...waits.other_cycles].filter((length) => length > 0).map((length) => [end, (end += length)]);
}

// Who waits for whom: an arrow from each PE that waits to the one it waits for, with the number it has in the list; whole
// on a cycle, broken elsewhere.
function drawWaits(run, layout) {
  const cycles = cyclesOf(run.deadlock);
  const line = (number) => (cycles.some(([from, to]) => from <= number && number < to) ? "wait on-cycle" : "wait");
  return run.deadlock.listed.flatMap((wait, number) => (wait.peer === null ? [] : drawWait(wait, number, line(number), layout)));
}

function drawWait(wait, number, line, layout) {
  const [from, to] = [layout.at(wait.pe), layout.at(wait.peer)];
  const self = point(wait.pe) === point(wait.peer);
  const one = self ? loopAt(from, layout.cell / 2, 0) : way(from, to, layout.cell / 2 + 3, 0, layout.cell * 0.3);
  const { x, y } = along(one, 0.45);
  const size = clamp(layout.pitch / 14, 4, 9);
  const label = layout.pitch >= 110 ? svg("text", { class: "wait-label", x, y: y - size - 5 }, wait.link) : null;
  const mark = size < 7 ? [] : [svg("circle", { class: "wait-number", cx: x, cy: y, r: size }),
    svg("text", { class: "wait-count", x, y }, String(number + 1))];
  return [svg("path", { class: line, d: pathOf(one) }), tip(one, clamp(layout.pitch / 12, 5, 10), "wait-tip"), ...mark, label].filter(Boolean);
}
