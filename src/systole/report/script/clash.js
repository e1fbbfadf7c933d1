// A refuted obligation on the array: where and when its two sides are, and what runs beside them.

function timeName(time) {
  return time.length === 1 ? `t = ${time[0]}` : `t = ${point(time)}`;
}

function badge(number, x, y) {
  return svg("g", { class: "badge", "data-side": number }, svg("circle", { cx: x, cy: y, r: 9 }), svg("text", { x, y }, String(number + 1)));
}

// The two sides as badges on their PEs, joined by an arrow where they are apart.
function drawSides(clash, layout) {
  const places = clash.sides.map((side) => layout.at(side.pe));
  const half = layout.cell / 2;
  const corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
  const badges = places.map(({ x, y }, number) => badge(number, x + corners[number % 4][0], y + corners[number % 4][1]));
  const [from, to] = places;
  if (!to || (from.x === to.x && from.y === to.y)) return badges;
  const one = way(from, to, half + 3, 0, 0);
  const middle = along(one, 0.5);
  return [svg("path", { class: "wait", d: pathOf(one) }), tip(one, 10, "wait-tip"),
    svg("text", { class: "wait-label", x: middle.x, y: middle.y - 9 }, clash.of), ...badges];
}

// The times of the sides on a line, so that the eye sees which comes first.
function drawBeat(clash, host) {
  const [left, width] = [12, clamp((host.clientWidth || 600) - 40, 200, 520)];
  const last = Math.max(clash.times.length - 1, 1);
  const x = (time) => left + (time / last) * width;
  const group = svg("svg", { width: width + 40, height: 64, role: "img", "aria-label": "The sides in time" },
    svg("line", { class: "beat", x1: left, x2: left + width, y1: 40, y2: 40 }));
  const every = niceStep(34 * clash.times.length / width);
  clash.times.forEach((time, number) => {
    group.append(svg("line", { class: "beat", x1: x(number), x2: x(number), y1: 36, y2: 44 }));
    if (number % every === 0) group.append(svg("text", { class: "axis", x: x(number), y: 60, "text-anchor": "middle" }, time.join(",")));
  });
  const heights = new Map();
  clash.sides.forEach((side, number) => {
    const taken = heights.get(side.time) ?? 0;
    heights.set(side.time, taken + 1);
    group.append(badge(number, x(side.time) + taken * 20, 20));
  });
  const now = svg("circle", { class: "beat-now", cy: 40, r: 5 });
  group.append(now);
  const show = (frame) => now.setAttribute("cx", x(frame));
  return { element: group, show };
}

function sideLines(clash) {
  const rows = clash.sides.flatMap((side, number) => [
    svg("svg", { width: 20, height: 20, "aria-hidden": "true" }, badge(number, 10, 10)),
    html("strong", {}, `${side.what}`),
    html("span", {}, `${timeName(clash.times[side.time])}, PE ${point(side.pe)}`),
  ]);
  return html("div", { class: "sides" }, ...rows);
}

function makeClashArray(host, clash) {
  const layout = layOut(clash.array, host.clientWidth || 700, 170);
  const cells = clash.array.pes.map((coordinates) => drawPe(layout, coordinates));
  cells.forEach((cell) => cell.querySelector(".plate").remove());
  host.replaceChildren(svg("svg", { width: layout.width + 12, height: layout.height, role: "img", "aria-label": `Counterexample: ${clash.broken}` },
    axes(clash.array, layout), ...cells, ...drawSides(clash, layout)));
  return (frame) => cells.forEach((cell, pe) => showPoints(cell, clash, layout, pe, frame));
}

// The points that a PE runs at a time.
function showPoints(cell, clash, layout, pe, frame) {
  const here = clash.points.filter(([, , at, time]) => at === pe && time === frame);
  const name = ([space, coordinates]) => (clash.spaces.length > 1 ? `${clash.spaces[space]} ` : "") + point(coordinates);
  cell.dataset.state = here.length > 0 ? "B" : "I";
  const text = cell.querySelector(".state");
  text.setAttribute("font-size", clamp(layout.cell / 6, 7, 12));
  text.textContent = here.length > 1 ? `${here.length} points` : here.map(name).join("");
  cell.querySelector("title").textContent = `PE ${point(clash.array.pes[pe])}: ${here.map(name).join(" and ") || "nothing"}`;
}

function makeClash(host, clash) {
  const [controls, stage, beat] = [html("div"), html("div", { class: "scroll" }), html("div", { class: "scroll" })];
  const trimmed = (text) => text.replace(/\s+/g, " ");
  host.append(html("article", { class: "clash" },
    html("div", { class: "alarm" },
      prose("p", { class: "what" }, clash.broken),
      html("p", { class: "code" }, trimmed(clash.available)), html("p", { class: "code" }, trimmed(clash.needed)),
      html("p", {}, `${clash.smallest ? "Smallest case" : "One case"} of ${clash.kind} of ${clash.of}: ${clash.example}.`),
      prose("p", {}, `${clash.help}.`)),
    controls, stage, beat, sideLines(clash)));
  const line = drawBeat(clash, beat);
  beat.append(line.element);
  const showArray = makeClashArray(stage, clash);
  const article = host.lastElementChild;
  const player = makePlayer(controls, {
    frames: Math.max(clash.times.length, 1), start: 0, what: "Time",
    label: (frame) => (clash.times[frame] ? timeName(clash.times[frame]) : ""),
    show: (frame) => {
      showArray(frame);
      line.show(frame);
      for (const mark of article.querySelectorAll(".badge")) {
        mark.classList.toggle("now", clash.sides[Number(mark.dataset.side)].time === frame);
      }
    },
  });
  player.go(clash.sides[clash.sides.length - 1]?.time ?? 0);
  return player;
}
