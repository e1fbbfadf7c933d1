// What is said in words and numbers: summary, schedule, proofs, rules, counters.

// Heads that end in `#` are over numbers.
function table(heads, rows) {
  const isNumber = heads.map((head) => head.endsWith("#"));
  const cell = (tag, content, index) => html(tag, { class: isNumber[index] ? "number" : null, scope: tag === "th" ? "col" : null }, content);
  const head = html("tr", {}, ...heads.map((text, index) => cell("th", text.replace("#", ""), index)));
  const body = rows.map((row) => html("tr", {}, ...row.map((content, index) =>
    (content instanceof HTMLTableCellElement ? content : cell("td", content, index)))));
  return html("table", {}, html("thead", {}, head), html("tbody", {}, ...body));
}

// What may be wider than the page: it scrolls by itself, by keyboard too.
function scrolling(label, ...children) {
  return html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, ...children);
}

// Letters stand in italics, as mathematics has them.
function maths(text) {
  const parts = text.replaceAll("*", "·").replaceAll("-", "−").split(/([A-Za-z_][\w.']*)/);
  return html("td", { class: "maths" }, ...parts.map((part, index) => (index % 2 === 1 ? html("i", {}, part) : part)));
}

function showHead(report) {
  byId("command").textContent = report.command;
  byId("sizes").append(...report.sizes.map(([name, value]) => html("span", {}, `${name} = ${value}`)));
  byId("equations").append(...report.equations.map((text) => html("div", {}, text)));
  byId("facts").append(...report.facts.map(({ name, value, mood }) =>
    html("div", { class: mood }, html("dt", {}, name), html("dd", {}, value))));
  if (report.bound) byId("bound").append(html("p", {}, html("b", {}, "bound "), report.bound.text));
  if (report.source) showAbout(report.source.about);
}

// What the file says of itself: where the kernel is from, and the figures of textbooks.
function showAbout(lines) {
  if (lines.length === 0) return;
  byId("about").append(html("pre", { class: "about" }, lines.join("\n")));
  reveal("about-section");
}

function showMachine(keys) {
  const row = ({ key, value, about }) => [html("td", { class: "code" }, key), html("td", { class: "code" }, value), about];
  byId("machine").append(table(["key", "value", "meaning"], keys.map(row)));
  reveal("machine-section");
}

function showSchedule(lines) {
  const row = (line) => [maths(`${line.name}(${line.indices.join(", ")})`), maths(`t = ${line.time}`), maths(line.place), line.moves.join(", ")];
  byId("schedule").append(table(["space", "time", "PE", "transports"], lines.map(row)));
  reveal("schedule-section");
}

function showProofs(proofs) {
  const mark = { proved: "✓ proved", refuted: "✗ refuted", unknown: "? unknown" };
  const row = (proof) => [proof.kind, proof.of, html("td", { class: `verdict ${proof.verdict}` }, mark[proof.verdict] ?? proof.verdict),
    `${proof.milliseconds.toFixed(1)} ms`, html("td", { class: "says" }, ...sentenceOf(proof))];
  byId("proofs").append(table(["obligation", "of", "verdict", "time#", "what it says"], proofs.map(row)));
  reveal("proofs-section");
}

// What was proved, or what stands against it.
function sentenceOf(proof) {
  return [prose("span", {}, proof.sentence), ...(proof.remark ? [" ", html("b", {}, proof.remark)] : [])];
}

function showRules(rules) {
  const item = (step) => html("li", {}, html("strong", {}, step.rule),
    html("div", { class: "term" }, step.before), html("div", { class: "term" }, "→ ", html("b", {}, step.after)));
  byId("rules").append(html("details", {}, html("summary", {}, `${rules.length} steps, each by a rule`), html("ol", {}, ...rules.map(item))));
  reveal("rules-section");
}

function bar(value, most) {
  const width = most > 0 ? Math.round((100 * Math.min(value, most)) / most) : 0;
  return html("span", { class: "bar", "aria-hidden": "true" }, html("span", { style: `width: ${width}%` }));
}

function showChannels(run) {
  const vector = (offset) => (offset.every((entry) => entry === 0) ? "stays" : point(offset));
  const row = (channel, number) => [
    html("td", {}, svg("svg", { width: 16, height: 14, viewBox: "-8 -7 16 14", "aria-hidden": "true" }, glyph(number, 4)), " ", channel.name),
    vector(channel.offset), count(channel.words), String(channel.used), String(channel.declared), html("td", {}, bar(channel.used, channel.declared)),
  ];
  const buses = run.buses.map((bus) => [`bus ${bus.name}`, "", `${count(bus.driven)} driven, ${count(bus.heard)} heard`, "", "", ""]);
  byId("channels").append(
    table(["channel", "moves by", "words#", "deepest#", "declared#", ""], [...run.channels.map(row), ...buses]),
    html("p", { class: "row-legend" }, "Deepest: the most words that held a slot of one link at one time. Declared: its slots, the proved depth."));
  reveal("channels-section");
}

function showCounters(run) {
  const memory = run.memory.map((row) => [row.name, count(row.loaded), count(row.prefetched), count(row.stored)]);
  const operations = run.operations.map(([name, times]) => [name, count(times)]);
  if (memory.length > 0) byId("counters").append(scrolling("Memory", html("h3", {}, "Memory"), table(["array", "loaded#", "prefetched#", "stored#"], memory)));
  if (operations.length > 0) byId("counters").append(scrolling("Operations", html("h3", {}, "Operations"), table(["function", "applied#"], operations)));
  const rows = run.rows.map((row, pe) => [point(run.array.pes[pe]), row.class, ...[row.busy, row.stalled, row.starved, row.idle].map(count)]);
  if (rows.length > 0) {
    byId("counters-section").append(html("details", {}, html("summary", {}, `Cycles of each of the ${rows.length} PEs`),
      scrolling("Cycles of each PE", table(["PE", "class", "busy#", "stalled#", "starved#", "idle#"], rows))));
  }
  reveal("counters-section");
}

// How many wait, and how many of them in cycles.
function countWaits(waits) {
  const lengths = cyclesOf(waits).map(([from, to]) => to - from);
  if (lengths.length === 0) return `${waits.total} PEs wait, and not in a cycle`;
  if (lengths.length === 1) return `${waits.total} PEs wait; ${lengths[0]} of them in a cycle`;
  return `${waits.total} PEs wait; in ${lengths.length} cycles of ${lengths.join(", ")}`;
}

// A list for each cycle, numbered as the arrows are.
function showDeadlock(waits) {
  const item = (wait) => prose("li", {}, wait.text);
  const lists = cyclesOf(waits).map(([from, to]) => html("ol", { start: String(from + 1) }, ...waits.listed.slice(from, to).map(item)));
  const last = Math.max(0, ...cyclesOf(waits).map(([, to]) => to));
  const others = waits.listed.slice(last).map(item);
  byId("deadlock").append(html("div", { class: "alarm" }, html("p", { class: "what" }, countWaits(waits)), ...lists,
    ...(others.length > 0 ? [html("details", others.length > 8 ? {} : { open: "" }, html("summary", {}, `${others.length} more that wait`), html("ul", {}, ...others))] : []),
    prose("p", {}, `${waits.help}.`)));
  reveal("deadlock-section");
}

function showLeftOut(sentences) {
  byId("left-out").append(...sentences.map((sentence) => html("li", {}, sentence)));
  reveal("left-out-section");
}
