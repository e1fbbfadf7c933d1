// Puts the page together from its data.

// The panel beside the array: how many PEs do what, and what happens on one of them.
function makePanel(host, run, work, states, onPick) {
  const counts = Object.fromEntries(Object.keys(STATES).map((letter) => [letter, html("span", { class: "count" })]));
  const legend = html("div", { class: "legend" }, ...Object.keys(STATES).flatMap((letter) => [
    swatch(letter), html("span", {}, `${letter === "I" ? "" : `${letter}, `}${STATES[letter].name}: ${STATES[letter].means}`), counts[letter]]));
  const channels = html("div", { class: "legend" }, ...run.channels.flatMap((channel, number) => [
    svg("svg", { width: 16, height: 14, viewBox: "-8 -7 16 14", "aria-hidden": "true" }, glyph(number, 4.5)), html("span", {}, channel.name), html("span", { class: "carries" }, tensorOf(channel.name))]));
  const select = html("select", { id: "pe", "aria-label": "PE" }, ...run.array.pes.map((coordinates, pe) => html("option", { value: pe }, `PE ${point(coordinates)}`)));
  select.addEventListener("change", () => onPick(Number(select.value)));
  const list = html("ul", { tabindex: 0, role: "region", "aria-label": "Words of the PE" });
  const title = html("span");
  const computed = html("p", { class: "computed", tabindex: 0, role: "region", "aria-label": "What the PE computes" });
  host.replaceChildren(legend, ...(run.channels.length > 0 ? [channels] : []), html("div", { class: "picked" }, select, title), computed, list);
  return {
    pick: (pe) => { select.value = pe; },
    show: (frame) => {
      for (const letter of Object.keys(STATES)) counts[letter].textContent = count(states.filter((one) => one[frame] === letter).length);
      const pe = Number(select.value);
      const state = states[pe]?.[frame] ?? "I";
      title.textContent = STATES[state].name;
      const points = work && state !== "I" ? work.at(pe, frame) : [];
      computed.replaceChildren(...points.map(([number, at]) => html("span", {}, `${formulaText(work.spaces[number], at)}  at ${point(at)}`)));
      list.replaceChildren(...happenings(run, pe, frame).map(([what, value]) => html("li", {}, html("span", {}, what), html("span", {}, value))));
    },
  };
}

// What comes to a PE and leaves it in a cycle.
function happenings(run, pe, frame) {
  const name = (wire) => run.channels[run.film.wires[wire][0]].name;
  const loads = run.film.accesses.filter(([at, clock]) => at === pe && clock === frame);
  const words = run.film.words;
  const received = words.filter(([wire, , at]) => at === frame && run.film.wires[wire][2] === pe);
  const sent = words.filter(([wire, at]) => at === frame && run.film.wires[wire][1] === pe);
  const heard = run.film.heard.filter(([, at, clock]) => at === pe && clock === frame);
  return [
    ...loads.filter((access) => !access[4]).map(([, , element, value]) => [`loads ${element}`, short(value)]),
    ...received.map(([wire, , , value]) => [`receives ${name(wire)}`, short(value)]),
    ...heard.map(([line, , , value]) => [`hears ${run.buses[run.film.lines[line][0]].name}`, short(value)]),
    ...sent.map(([wire, , , value]) => [`sends ${name(wire)}`, short(value)]),
    ...loads.filter((access) => access[4]).map(([, , element, value]) => [`stores ${element}`, short(value)]),
  ];
}

// What the bounds on points and lines leave out, in words.
function leftOutOf(report, run, work) {
  const isDesign = report.schedule.length > 0;
  return [
    isDesign && !work ? "What each PE computes is not shown: there are more than 65,536 points." : null,
    work?.unpaired > 0 ? `What is computed is not shown of ${count(work.unpaired)} PEs whose steps are not those of the design.` : null,
    run.program.length === 0 ? "The program is not shown: it has more than 4,000 lines." : null,
  ].filter(Boolean);
}

// All that moves with the cycle: the array, the panel, the cursor of the space-time diagram.
function showFilm(report, run) {
  ["array-section", "time-section"].forEach(reveal);
  const work = makeWork(report.work, run);
  const code = makeCode(byId("code"), report, run, work);
  byId("stage").classList.toggle("with-code", code !== null);
  let player = null;
  const pick = (pe) => { array.pick(pe); panel.pick(pe); code?.pick(pe); if (player) player.go(player.frame); };
  const array = makeArray(byId("array"), run, work, pick);
  const panel = makePanel(byId("panel"), run, work, array.states, pick);
  const time = makeTime(byId("time"), run, report.bound, (frame) => { player.stop(); player.go(frame); });
  const last = isWhole(run) ? run.film.cycles : run.film.cycles - 1;
  player = makePlayer(byId("array-player"), {
    frames: last + 1, start: 0, what: "Cycle",
    label: (frame) => (frame === run.cycles ? `end, after ${count(run.cycles)}` : `cycle ${count(frame)} of ${count(run.cycles)}`),
    show: (frame) => [array, panel, time, code].forEach((picture) => picture?.show(frame)),
  });
  if (run.array.pes.length > 0) pick(0);
  run.left_out.push(...leftOutOf(report, run, work));
  player.go(run.deadlock && isWhole(run) ? last : 0);
  return player;
}

function showRun(report, run) {
  if (run.deadlock) showDeadlock(run.deadlock);
  if (run.heat) { reveal("heat-section"); makeHeat(byId("heat"), run.heat); }
  if (run.channels.length + run.buses.length > 0) showChannels(run);
  showCounters(run);
  if (run.film) showFilm(report, run);
  if (run.left_out.length > 0) showLeftOut(run.left_out);
}

function makeTheme(button) {
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const say = () => { button.textContent = isDark() ? "Light" : "Dark"; button.setAttribute("aria-pressed", String(isDark())); };
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; say(); });
  button.setAttribute("aria-label", "Dark colours");
  button.hidden = false;
  say();
}

function start() {
  const report = JSON.parse(byId("data").textContent);
  document.querySelector("main").hidden = false;
  makeTheme(byId("theme"));
  showHead(report);
  if (report.schedule.length > 0) showSchedule(report.schedule);
  if (report.proofs.length > 0) showProofs(report.proofs);
  if (report.rules.length > 0) showRules(report.rules);
  if (report.clashes.length > 0) {
    reveal("clash-section");
    report.clashes.map((clash) => makeClash(byId("clashes"), clash)).reverse().forEach((player) => { activePlayer = player; });
  }
  if (report.machine.length > 0) showMachine(report.machine);
  if (report.front && report.front.rows.length > 0) showFront(report.front, report.bound);
  if (report.run) showRun(report, report.run);
}

start();
