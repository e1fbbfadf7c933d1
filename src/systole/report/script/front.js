// The front as a plot: a dot by cycles and PEs, with the number of designs that it stands for; and each design with its own page.

const PLOT = { left: 52, right: 20, top: 18, bottom: 44, height: 300 };

// Marks from 0 on that reach a number.
function ticks(most, room) {
  const step = niceStep(Math.max(most / Math.max(room, 1), 1));
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, number) => number * step);
}

function makeFront(host, front, bound) {
  const width = clamp(host.clientWidth || 600, 260, 900);
  const most = (of) => Math.max(...front.rows.map(of), 1) * 1.08;
  const [across, down] = [most((row) => row.cycles), most((row) => row.pes)];
  const x = (cycles) => PLOT.left + (cycles / across) * (width - PLOT.left - PLOT.right);
  const y = (pes) => PLOT.height - PLOT.bottom - (pes / down) * (PLOT.height - PLOT.top - PLOT.bottom);
  const picture = svg("svg", { width, height: PLOT.height, role: "group", "aria-label": "Designs of the front" },
    ...plotAxes({ x, y, across, down, width }), ...boundLine(bound, x, across));
  for (const group of groupsOf(front)) picture.append(frontDot(group, front, x(group[0].row.cycles), y(group[0].row.pes)));
  host.replaceChildren(picture);
}

// The designs of the same cycles and PEs together; the one that the page shows comes last, above the others.
function groupsOf(front) {
  const groups = new Map();
  front.rows.forEach((row, number) => {
    const key = `${row.cycles},${row.pes}`;
    groups.set(key, [...(groups.get(key) ?? []), { row, number }]);
  });
  const isShown = (group) => group.some(({ number }) => number === front.shown);
  return [...groups.values()].sort((one, other) => isShown(one) - isShown(other));
}

function plotAxes({ x, y, across, down, width }) {
  const [left, bottom] = [x(0), y(0)];
  const lines = [svg("path", { class: "plot-axis", d: `M${left} ${PLOT.top}V${bottom}H${width - PLOT.right}` })];
  const text = (at, anchor, words) => svg("text", { ...at, class: "axis", "text-anchor": anchor }, words);
  for (const cycles of ticks(across, (width - 80) / 60)) lines.push(text({ x: x(cycles), y: bottom + 15 }, "middle", count(cycles)));
  for (const pes of ticks(down, 6)) lines.push(text({ x: left - 7, y: y(pes) + 4 }, "end", count(pes)));
  lines.push(text({ x: (left + width) / 2, y: PLOT.height - 6 }, "middle", "cycles"), text({ x: 2, y: 11 }, "start", "PEs"));
  return lines;
}

function boundLine(bound, x, across) {
  if (!bound || bound.cycles > across) return [];
  const at = x(bound.cycles);
  return [svg("line", { class: "bound-line", x1: at, x2: at, y1: PLOT.top, y2: PLOT.height - PLOT.bottom }),
    svg("text", { class: "axis", x: at + 4, y: PLOT.top + 8 }, `bound ${count(bound.cycles)}`)];
}

// The dot of the design that the page shows is filled; another is the way to the page of its best design.
function frontDot(group, front, cx, cy) {
  const [{ row }] = group;
  const isShown = group.some(({ number }) => number === front.shown);
  const many = group.length > 1 ? `${group.length} designs, the best: ` : "";
  const says = `${count(row.cycles)} cycles, ${count(row.pes)} PEs: ${many}${row.design}`;
  const radius = group.length > 1 ? 9 : 6;
  const number = group.length > 1 ? svg("text", { class: "dot-count", x: cx, y: cy }, String(group.length)) : null;
  const dot = svg("g", { class: isShown ? "dot shown" : "dot" }, svg("circle", { cx, cy, r: radius }), number, svg("title", {}, says));
  return isShown || !row.page ? dot : svg("a", { href: row.page, "aria-label": says }, dot);
}

function showFront(front, bound) {
  reveal("front-section");
  makeFront(byId("front"), front, bound);
  const link = (row, number) => (row.page && number !== front.shown ? html("a", { href: row.page }, "page") : number === front.shown ? "this page" : "");
  const row = (design, number) => [count(design.cycles), count(design.pes), count(design.words), html("td", {}, link(design, number)), design.design];
  const rows = table(["cycles#", "PEs#", "words#", "page", "design"], front.rows.map(row));
  const more = front.more > 0 ? ` ${count(front.more)} more are not drawn.` : "";
  byId("front-table").append(html("p", { class: "row-legend" }, `Counted at ${front.counted || "no sizes"}.${more}`),
    html("details", front.rows.length <= 12 ? { open: "" } : {}, html("summary", {}, `${front.rows.length} designs`), scrolling("Designs", rows)));
}
