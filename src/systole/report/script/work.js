// What a PE computes in a cycle: elements, formulas, points; and the lines of source and program that are lit.

// A form at a point: a number and a multiple of each coordinate.
function valueAt([constant, multiples], coordinates) {
  return multiples.reduce((sum, multiple, index) => sum + multiple * coordinates[index], constant);
}

// `A[0, 1]`, or `a01` where that can be read in one way only.
function elementText([tensor, forms], coordinates, isShort) {
  const subscripts = forms.map((form) => valueAt(form, coordinates));
  const isPlain = /^[A-Za-z]$/.test(tensor) && subscripts.every((subscript) => subscript >= 0 && subscript <= 9);
  if (isShort && isPlain) return tensor.toLowerCase() + subscripts.join("");
  return subscripts.length === 0 ? tensor : `${tensor}[${subscripts.join(", ")}]`;
}

// A part is text, an element, or the value of a form.
function partText(part, coordinates, isShort) {
  if (typeof part === "string") return part;
  return typeof part[0] === "string" ? elementText(part, coordinates, isShort) : String(valueAt(part, coordinates));
}

function valueText(space, coordinates, isShort) {
  return space.value.map((part) => partText(part, coordinates, isShort)).join("");
}

// `C[0, 1] += A[0, 2]*B[2, 1]`.
function formulaText(space, coordinates) {
  return `${elementText(space.target, coordinates, false)} ${space.sign} ${valueText(space, coordinates, false)}`;
}

// Who does what when: steps of the design, paired with the clocks at which they began.
function makeWork(work, run) {
  if (!work || !run.film) return null;
  const workers = new Map(work.pes.map(([pe, steps]) => [point(pe), steps]));
  const paired = run.array.pes.map((coordinates, pe) => {
    const [steps, began] = [workers.get(point(coordinates)) ?? [], run.film.began[pe]];
    const fits = isWhole(run) ? began.length === steps.length : began.length <= steps.length;
    return fits ? { steps, began } : null;
  });
  const at = (pe, frame) => {
    if (!paired[pe]) return [];
    const { steps, began } = paired[pe];
    return steps[lastAtMost(began, frame)] ?? [];
  };
  const element = (pe, frame, tensor) => elementOf(work.spaces, at(pe, frame), tensor);
  return { spaces: work.spaces, at, element, unpaired: paired.filter((one) => one === null).length };
}

// The position of the last number of a rising list that is at most another.
function lastAtMost(numbers, most) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= most) low = middle + 1; else high = middle;
  }
  return low - 1;
}

// The element of a tensor that some points read or write, in short.
function elementOf(spaces, points, tensor) {
  for (const [number, coordinates] of points) {
    const parts = [...spaces[number].value, spaces[number].target];
    const found = parts.find((part) => typeof part !== "string" && part[0] === tensor);
    if (found) return elementText(found, coordinates, true);
  }
  return null;
}

// The tensor whose values a channel or a bus carries.
function tensorOf(channel) {
  return channel.replace(/-(link|to-.*|memory|bus)$/, "").replace(/_\d+$/, "");
}

// Lines of text of which some are lit; what is lit is scrolled into sight without moving the page.
function makeListing(host, title, label) {
  const body = html("pre", { class: "listing", tabindex: 0, role: "region", "aria-label": label });
  const head = html("h3", {}, title);
  host.append(html("div", { class: "listed" }, head, body));
  let rows = [];
  const write = (lines, first) => {
    rows = lines.map((line, number) => html("span", { class: "code-line", "data-number": first === null ? null : first + number }, line || " "));
    body.replaceChildren(...rows);
  };
  const light = (isLit) => {
    const lit = rows.filter((row, number) => row.classList.toggle("lit", isLit(number)));
    if (lit.length === 0) return;
    const [top, bottom] = [lit[0].offsetTop, lit[lit.length - 1].offsetTop + lit[lit.length - 1].offsetHeight];
    if (top < body.scrollTop || bottom > body.scrollTop + body.clientHeight) body.scrollTop = top - 12;
  };
  return { write, light, head };
}

// Source and program of the picked PE.
function makeCode(host, report, run, work) {
  const source = report.source ? makeListing(host, report.source.name, "The equations") : null;
  const program = run.program.length > 0 ? makeListing(host, "Program", "The program of the PE") : null;
  if (!source && !program) return null;
  source?.write(report.source.lines, report.source.first);
  host.hidden = false;
  let [picked, lines] = [0, []];
  const pick = (pe) => {
    picked = pe;
    const listed = run.program.find((one) => one.name === run.rows[pe]?.class);
    lines = listed?.lines ?? [];
    program?.write(lines.map(([text]) => text), null);
    if (program) program.head.textContent = `Program of PE ${point(run.array.pes[pe])}, class ${run.rows[pe]?.class ?? ""}`;
  };
  const show = (frame) => {
    const spaces = work && isAtWork(run, picked, frame) ? work.at(picked, frame).map(([number]) => work.spaces[number]) : [];
    source?.light((number) => spaces.some(({ lines: [from, to] }) => from <= number + report.source.first && number + report.source.first <= to));
    const span = run.film.lit[picked]?.find(([, from, to]) => from <= frame && frame < to);
    const done = new Set(span ? run.film.sets[span[0]] : []);
    program?.light((number) => lines[number][1] !== null && done.has(lines[number][1]));
  };
  return { pick, show };
}

function isAtWork(run, pe, frame) {
  return run.film.spans[pe].some(([, from, to]) => from <= frame && frame < to);
}
