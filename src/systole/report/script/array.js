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

// A PE as a square with its coordinates and a letter on a plate, so that patterns do not hide it.
function drawPe(layout, coordinates) {
  const { x, y } = layout.at(coordinates);
  const half = layout.cell / 2;
  const size = clamp(layout.cell * 0.4, 8, 20);
  const group = svg("g", { class: "pe", "data-state": "I", "data-pe": point(coordinates) },
    svg("rect", { class: "cell", x: x - half, y: y - half, width: layout.cell, height: layout.cell, rx: Math.min(6, layout.cell / 6) }),
    svg("circle", { class: "plate", cx: x, cy: y, r: size * 0.72 }),
    svg("text", { class: "state", x, y, "font-size": size }),
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
    const far = Math.hypot(end.x - start.x, end.y - start.y) > layout.pitch * 1.6;
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
function drawWord(run, [wire, , , value], spacious) {
  const channel = run.film.wires[wire][0];
  const name = run.channels[channel].name;
  const text = spacious ? svg("text", { y: -8 }, short(value)) : null;
  return svg("g", { class: "word", "data-channel": name }, glyph(channel, spacious ? 4.5 : 3.2), text, svg("title", {}, `${name}: ${value}`));
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
  const layout = layOut(run.array, host.clientWidth || 800, 170);
  const [ways, spacious] = [wireWays(run, layout), layout.pitch >= 64];
  const cells = run.array.pes.map((coordinates) => drawPe(layout, coordinates));
  const lines = drawLines(run, layout);
  const wires = svg("g", { "aria-hidden": "true" }, ...lines,
    ...ways.flatMap((one) => [svg("path", { class: "wire", d: pathOf(one) }), tip(one, spacious ? 7 : 4, "tip")]));
  const [words, waits] = [svg("g", { class: "words" }), svg("g", { class: "waits" })];
  host.replaceChildren(svg("svg", { width: layout.width, height: layout.height, role: "img", "aria-label": "Array of PEs" },
    axes(run.array, layout), wires, ...cells, words, waits));
  return { layout, ways, spacious, cells, lines, words, waits, shown: new Map() };
}

// The whole picture; `show(frame)` moves it to a cycle.
function makeArray(host, run, onPick) {
  const states = statesOf(run);
  const drawn = drawArray(host, run);
  const { layout, cells, lines, waits } = drawn;
  cells.forEach((cell, pe) => cell.addEventListener("click", () => onPick(pe)));
  const show = (frame) => {
    cells.forEach((cell, pe) => showState(cell, run.array.pes[pe], states[pe][frame]));
    showWords(run, drawn, frame);
    lines.forEach((line, number) => line.classList.toggle("live", run.film.heard.some(([on, , clock]) => on === number && clock === frame)));
    const atEnd = run.deadlock && frame === run.film.cycles && isWhole(run);
    waits.replaceChildren(...(atEnd ? drawWaits(run, layout) : []));
    markBlocked(run, cells, atEnd);
  };
  const pick = (pe) => cells.forEach((cell, number) => cell.classList.toggle("picked", number === pe));
  return { show, pick, states };
}

function showState(cell, coordinates, state) {
  if (cell.dataset.state === state && cell.dataset.drawn) return;
  cell.dataset.state = state;
  cell.dataset.drawn = "yes";
  cell.querySelector(".state").textContent = state === "I" ? "" : state;
  cell.querySelector("title").textContent = `PE ${point(coordinates)}: ${STATES[state].name}`;
}

// Words keep their element from cycle to cycle, so that they move.
function showWords(run, { ways, words, shown, spacious }, frame) {
  const present = new Set();
  run.film.words.forEach((word, number) => {
    if (!isUnderWay(word, frame)) return;
    present.add(number);
    if (!shown.has(number)) shown.set(number, words.appendChild(drawWord(run, word, spacious)));
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
