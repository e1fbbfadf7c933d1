//! The pages in a real browser: they draw, they move, they complain of nothing and ask for nothing.

use super::devtools::Browser;
use super::made::Made;
use super::share::share;
use serde_json::json;

/// The picture of the array: what each PE does, and where each word is.
const PICTURE: &str = "[...document.querySelectorAll('#array .pe')].map(pe => pe.dataset.state).join('') + \
                       [...document.querySelectorAll('#array .word')].map(word => word.getAttribute('style')).join()";

const LABEL: &str = "document.querySelector('.player output').textContent";

fn click(browser: &mut Browser, element: &str) {
    browser.value(&format!("document.querySelector('{element}').click()"));
}

/// Nothing was said, nothing was asked for.
fn assert_quiet(browser: &Browser) {
    assert_eq!(browser.complaints(), Vec::<&serde_json::Value>::new());
    assert_eq!(browser.requested(), Vec::<String>::new());
}

fn assert_fits(browser: &mut Browser) {
    let wide = browser.value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    assert_eq!(wide, json!(0), "the page is wider than its window");
}

#[test]
fn a_run_is_drawn_cycle_by_cycle() {
    let Some(mut browser) = Browser::start(1280, 800) else { return };
    let made = Made::product("M=4,N=4,K=4");
    let film = made.data()["run"]["film"].clone();
    browser.open(&made.path());
    assert_eq!(browser.value("document.querySelectorAll('#array .pe').length"), 16);
    assert_eq!(browser.value(LABEL), "cycle 0 of 10");
    assert_eq!(browser.value("document.querySelectorAll('#array .pe[data-state=B]').length"), 1);
    let first = browser.value(PICTURE);
    for cycle in 1..=10 {
        let before = browser.value(PICTURE);
        click(&mut browser, ".player .forward");
        assert_ne!(browser.value(PICTURE), before, "cycle {cycle} looks like the one before");
        let words = film["words"].as_array().unwrap();
        let under_way = |word: &&serde_json::Value| word[1].as_u64() <= Some(cycle) && Some(cycle) < word[2].as_u64();
        let expected = words.iter().filter(under_way).count();
        assert_eq!(
            browser.value("document.querySelectorAll('#array .word').length"),
            expected,
            "words of cycle {cycle}"
        );
    }
    assert_eq!(browser.value(LABEL), "end, after 10");
    click(&mut browser, ".player .first");
    assert_eq!(browser.value(PICTURE), first, "the first cycle again");
    assert_fits(&mut browser);
    assert_quiet(&browser);
}

#[test]
fn it_plays_scrubs_and_heeds_the_keyboard() {
    let Some(mut browser) = Browser::start(1280, 800) else { return };
    browser.open(&Made::product("M=4,N=4,K=4").path());
    let first = browser.value(PICTURE);
    click(&mut browser, ".player .play");
    browser.wait_for(&format!("{LABEL} !== 'cycle 0 of 10'"));
    assert_ne!(browser.value(PICTURE), first, "playing moves it");
    click(&mut browser, ".player .play");
    browser.value("(range => { range.value = 7; range.dispatchEvent(new Event('input')); })(document.querySelector('.player input'))");
    assert_eq!(browser.value(LABEL), "cycle 7 of 10");
    let seventh = browser.value(PICTURE);
    for (key, label) in [
        ("ArrowRight", "cycle 8 of 10"),
        ("End", "end, after 10"),
        ("ArrowLeft", "cycle 9 of 10"),
        ("Home", "cycle 0 of 10"),
    ] {
        browser.press(key);
        assert_eq!(browser.value(LABEL), label, "after {key}");
    }
    browser.press(" ");
    browser.wait_for(&format!("{LABEL} === 'cycle 2 of 10'"));
    browser.press(" ");
    assert_ne!(browser.value(PICTURE), seventh);
    assert_eq!(browser.value("document.querySelector('.player .play').getAttribute('aria-label')"), "Play");
    assert_quiet(&browser);
}

#[test]
fn every_control_has_a_name_and_the_colours_can_be_changed() {
    let Some(mut browser) = Browser::start(1280, 800) else { return };
    browser.open(&Made::product("M=2,N=2,K=2").path());
    let nameless =
        "[...document.querySelectorAll('button, input, select')].filter(one => !one.getAttribute('aria-label')).length";
    assert_eq!(browser.value(nameless), 0);
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = browser.value(ground);
    click(&mut browser, "#theme");
    let dark = browser.value(ground);
    assert_ne!(light, dark);
    assert_eq!(browser.value("document.querySelector('#theme').getAttribute('aria-pressed')"), "true");
    click(&mut browser, "#theme");
    assert_eq!(browser.value(ground), light);
    let preferred = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    browser.ask("Emulation.setEmulatedMedia", &preferred);
    browser.open(&Made::product("M=2,N=2,K=2").path());
    assert_eq!(browser.value(ground), dark, "the reader's preference counts");
    assert_quiet(&browser);
}

#[test]
fn a_counterexample_is_drawn_where_the_operands_miss_each_other() {
    let Some(mut browser) = Browser::start(1280, 800) else { return };
    browser.open(&Made::too_fast().path());
    let cell = |pe: &str| format!("document.querySelector('.clash .pe[data-pe=\"{pe}\"]')");
    assert_eq!(browser.value(LABEL), "t = 0", "it opens when the operand is needed");
    assert_eq!(browser.value(&format!("{}.querySelector('.state').textContent", cell("(0, 1)"))), "(0, 1, 0)");
    assert_eq!(
        browser.value("document.querySelectorAll('.clash .scroll .badge.now').length"),
        2,
        "on the array and in time"
    );
    // The badge of what is needed hangs on PE (0, 1), that of what is available on PE (0, 0).
    let centre = |element: &str| format!("(box => box.x + box.width / 2)({element}.getBoundingClientRect())");
    let badge = |side: u32| format!("document.querySelector('.clash .badge[data-side=\"{side}\"]')");
    let apart = |side: u32, pe: &str| format!("Math.abs({} - {})", centre(&badge(side)), centre(&cell(pe)));
    assert_eq!(browser.value(&format!("{} < {}", apart(0, "(0, 0)"), apart(0, "(0, 1)"))), true);
    assert_eq!(browser.value(&format!("{} < {}", apart(1, "(0, 1)"), apart(1, "(0, 0)"))), true);
    click(&mut browser, ".player .forward");
    assert_eq!(browser.value(LABEL), "t = 1");
    assert_eq!(browser.value(&format!("{}.dataset.state", cell("(0, 1)"))), "I", "it has run already");
    assert_quiet(&browser);
}

#[test]
fn a_deadlock_is_drawn_as_the_cycle_of_its_waits() {
    let Some(mut browser) = Browser::start(1280, 800) else { return };
    browser.open(&Made::ring().path());
    assert_eq!(browser.value("document.querySelectorAll('#array .wait').length"), 4);
    assert_eq!(browser.value("document.querySelectorAll('#array .pe.blocked').length"), 4);
    assert_eq!(browser.value("document.querySelectorAll('#deadlock ol li').length"), 4);
    click(&mut browser, ".player .first");
    assert_eq!(browser.value("document.querySelectorAll('#array .wait').length"), 0, "nobody waits for ever yet");
    assert_quiet(&browser);
}

#[test]
fn every_cycle_of_waits_is_drawn_as_one() {
    let Some(mut browser) = Browser::start(1280, 800) else { return };
    browser.open(&Made::two_cycles().path());
    assert_eq!(browser.value("document.querySelectorAll('#array .wait').length"), 5);
    assert_eq!(browser.value("document.querySelectorAll('#array .wait.on-cycle').length"), 4);
    assert_eq!(
        browser.value("[...document.querySelectorAll('#deadlock ol')].map((list) => list.children.length).join()"),
        "2,2"
    );
    assert_eq!(browser.value("document.querySelectorAll('#deadlock ol')[1].start"), 3);
    assert_eq!(
        browser.value("document.querySelector('#deadlock .what').textContent"),
        "5 PEs wait; in 2 cycles of 2, 2"
    );
    assert_eq!(browser.value("document.querySelectorAll('#deadlock ul li').length"), 1);
    browser.open(&Made::ring().path());
    assert_eq!(browser.value("document.querySelectorAll('#array .wait.on-cycle').length"), 4);
    assert_quiet(&browser);
}

#[test]
fn large_and_narrow_pages_fit_and_say_what_they_leave_out() {
    let Some(mut browser) = Browser::start(420, 800) else { return };
    for made in [Made::product("M=4,N=4,K=4"), Made::product("M=33,N=2,K=2"), Made::too_fast(), Made::ring()] {
        browser.open(&made.path());
        assert_fits(&mut browser);
        assert_quiet(&browser);
    }
    browser.open(&Made::product("M=33,N=2,K=2").path());
    assert_eq!(browser.value("document.querySelector('#array-section').hidden"), true);
    assert_eq!(browser.value("document.querySelectorAll('#heat .heat').length"), 66);
    assert_eq!(browser.value("document.querySelectorAll('#left-out li').length > 0"), true);
}

/// The texts of all cells that work, with their PEs.
const CELLS: &str = "[...document.querySelectorAll('#array .pe[data-state=B]')].map(pe => \
                     [pe.dataset.pe, pe.querySelector('.formula').textContent, pe.querySelector('.at').textContent])";

/// The results stay and time is i + j + k, so PE (i, j) is at k = t - i - j in cycle t.
#[test]
fn cells_say_what_they_compute_and_words_what_they_are() {
    let Some(mut browser) = Browser::start(1400, 900) else { return };
    browser
        .open(&Made::new(&["run", "kernels/matmul.rec", "--schedule", "cannon", "--size", "M=3,N=3,K=4"], None).path());
    for cycle in 0..8i64 {
        let pes = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
        let at_work = pes.map(|(i, j)| (i, j, cycle - i - j)).filter(|(.., k)| (0..4).contains(k));
        let cell = |(i, j, k): (i64, i64, i64)| {
            json!([format!("({i}, {j})"), format!("a{i}{k}*b{k}{j}"), format!("({i},{j},{k})")])
        };
        assert_eq!(browser.value(CELLS), json!(at_work.map(cell).collect::<Vec<_>>()), "cycle {cycle}");
        click(&mut browser, ".player .forward");
    }
    click(&mut browser, ".player .first");
    let words = "[...document.querySelectorAll('#array .word text')].map(text => text.textContent).sort().join()";
    assert_eq!(browser.value(words), "a00,b00");
    let names =
        "[...new Set([...document.querySelectorAll('#array .wire-name')].map(text => text.textContent))].sort().join()";
    assert_eq!(browser.value(names), "A,B");
    let computed = "document.querySelector('.computed').textContent";
    assert_eq!(browser.value(computed), "C[0, 0] += A[0, 0]*B[0, 0]  at (0, 0, 0)");
    assert_quiet(&browser);
}

/// What a PE loads in a cycle is part of what the page says that it computes then.
#[test]
fn what_is_loaded_is_what_is_computed_with() {
    let Some(mut browser) = Browser::start(1400, 900) else { return };
    for flags in [
        &["run", "kernels/matmul.rec", "--schedule", "cannon", "--size", "M=3,N=3,K=3"][..],
        &["run", "kernels/fir.rec", "--schedule", "w1", "--size", "N=6,K=3"],
        &["run", "kernels/trisolve.rec", "--schedule", "diagonal", "--size", "N=5"],
        &["run", "kernels/conv2d.rec", "--schedule", "one-port", "--size", "M=2,N=2,K=2,L=2"],
    ] {
        let made = Made::new(flags, None);
        let loads =
            made.data()["run"]["film"]["accesses"].as_array().unwrap().iter().filter(|one| one[4] == false).count();
        assert!(loads > 0, "{flags:?}");
        browser.open(&made.path());
        let missing = "(() => {
            const report = JSON.parse(byId('data').textContent), run = report.run, work = makeWork(report.work, run);
            const texts = (pe, clock) => work.at(pe, clock).map(([space, at]) => formulaText(work.spaces[space], at)).join();
            return run.film.accesses.filter(access => !access[4])
              .filter(([pe, clock, element]) => !texts(pe, clock).includes(element)).map(access => access.join(' '));
        })()";
        assert_eq!(browser.value(missing), json!([]), "{flags:?}");
        assert_eq!(
            browser.value(
                "makeWork(JSON.parse(byId('data').textContent).work, JSON.parse(byId('data').textContent).run).unpaired"
            ),
            0
        );
    }
}

#[test]
fn the_lines_that_run_are_lit() {
    let Some(mut browser) = Browser::start(1400, 900) else { return };
    browser
        .open(&Made::new(&["run", "kernels/matmul.rec", "--schedule", "cannon", "--size", "M=3,N=3,K=3"], None).path());
    let lit = |listing: u32| {
        format!(
            "[...document.querySelectorAll('.listing')[{listing}].querySelectorAll('.lit')].map(line => line.textContent.trim())"
        )
    };
    assert_eq!(browser.value(&lit(0)), json!(["C[i, j] = sum(k in 0..K) A[i, k] * B[k, j]"]));
    let step = |sum: &str| {
        json!(["(at (+ i j k))", "(load A (A i k))", "(load B (B k j))", sum, "(send A-link A)", "(send B-link B)"])
    };
    assert_eq!(browser.value(&lit(1)), step("((let C (mul A B))))"), "the first term");
    click(&mut browser, ".player .forward");
    assert_eq!(browser.value(&lit(1)), step("((let C (add C (mul A B))))"), "the second term");
    click(&mut browser, ".player .last");
    assert_eq!((browser.value(&lit(0)), browser.value(&lit(1))), (json!([]), json!([])), "nothing runs at the end");
    assert_quiet(&browser);
}

/// PE (0, 1) of Cholesky's array stores 36 zeros before it begins.
#[test]
fn the_panel_stays_in_its_place_whatever_a_pe_stores() {
    let Some(mut browser) = Browser::start(1400, 900) else { return };
    let made = Made::new(&["run", "kernels/cholesky.rec", "--size", "N=9", "--cell", "all"], None);
    let stores = |data: &serde_json::Value| {
        let accesses = data["run"]["film"]["accesses"].as_array().unwrap().clone();
        (0..data["run"]["array"]["pes"].as_array().unwrap().len())
            .map(|pe| accesses.iter().filter(|one| one[0] == pe && one[4] == true).count())
            .max()
    };
    assert!(stores(&made.data()) >= Some(30), "{:?}", stores(&made.data()));
    browser.open(&made.path());
    let place = "JSON.stringify([...document.querySelectorAll('#panel, #panel select, #panel ul, #time-section')].map(one => \
                 (box => [box.x, box.y + scrollY, box.width, box.height])(one.getBoundingClientRect())))";
    let pes = browser.value("document.querySelectorAll('#pe option').length").as_u64().unwrap();
    let first = browser.value(place);
    for pe in 0..pes {
        browser.value(&format!(
            "(select => {{ select.value = {pe}; select.dispatchEvent(new Event('change')); }})(byId('pe'))"
        ));
        for _ in 0..3 {
            assert_eq!(browser.value(place), first, "PE {pe}");
            browser.press("ArrowRight");
        }
        browser.press("Home");
    }
    assert_fits(&mut browser);
    assert_quiet(&browser);
}

#[test]
fn each_design_of_the_front_opens_its_own_page() {
    let Some(mut browser) = Browser::start(1400, 900) else { return };
    let made = Made::new(&["run", "kernels/matmul.rec", "--size", "M=3,N=3,K=3", "--pages"], None);
    let front = made.data()["front"].clone();
    let rows = front["rows"].as_array().unwrap().clone();
    assert!(rows.len() > 1 && rows.iter().all(|row| row["page"].is_string()), "{front}");
    browser.open(&made.path());
    let spots: std::collections::BTreeSet<String> =
        rows.iter().map(|row| format!("{} {}", row["cycles"], row["pes"])).collect();
    assert_eq!(browser.value("document.querySelectorAll('#front .dot').length"), spots.len());
    assert_eq!(browser.value("document.querySelectorAll('#front a').length"), spots.len() - 1, "this page is no link");
    let pages = "[...document.querySelectorAll('#front-table a')].map(link => link.getAttribute('href'))";
    let others: Vec<&serde_json::Value> = rows.iter().skip(1).map(|row| &row["page"]).collect();
    assert_eq!(browser.value(pages), json!(others), "each other design has a page of its own");
    assert_quiet(&browser);
    for (place, row) in rows.iter().enumerate() {
        let path = made.path().with_file_name(row["page"].as_str().unwrap());
        let data = super::made::data(&std::fs::read_to_string(&path).unwrap());
        assert_eq!((&data["front"]["shown"], &data["front"]["rows"]), (&json!(place), &front["rows"]));
        assert_eq!(data["run"]["cycles"], row["cycles"]);
        assert!(data["proofs"].as_array().unwrap().iter().all(|proof| proof["verdict"] == "proved"));
    }
    for row in share(&rows, 8) {
        let path = made.path().with_file_name(row["page"].as_str().unwrap());
        browser.open(&path);
        assert_eq!(browser.complaints(), Vec::<&serde_json::Value>::new());
        let asked = browser.requested();
        assert!(asked.iter().all(|one| one.ends_with(row["page"].as_str().unwrap())), "{asked:?}");
    }
    let alone = Made::product("M=3,N=3,K=3").data();
    assert!(alone["front"]["rows"].as_array().unwrap().iter().all(|row| row["page"].is_null()), "none was asked for");
}

#[test]
fn proofs_have_sentences_and_the_machine_is_shown() {
    let Some(mut browser) = Browser::start(1400, 900) else { return };
    let flags = ["run", "kernels/matmul.rec", "--size", "M=3,N=3,K=3", "--machine", "machines/gemmini-like.toml"];
    browser.open(&Made::new(&flags, None).path());
    let rows = "document.querySelectorAll('#proofs tbody tr').length";
    let says = "[...document.querySelectorAll('#proofs .says')].filter(one => one.textContent.endsWith('.')).length";
    assert_eq!(browser.value(&format!("{rows} > 0 && {rows} === {says}")), true);
    let machine = "[...document.querySelectorAll('#machine tbody tr')].map(row => row.children[0].textContent + ' ' + row.children[1].textContent)";
    let said = browser.value(machine);
    for line in ["name gemmini-like", "grid.extent [16, 16]", "link.latency 1", "bus.kinds []"] {
        assert!(said.as_array().unwrap().contains(&json!(line)), "{line} is not in {said}");
    }
    assert_eq!(browser.value("byId('bound').textContent.startsWith('bound 3 cycles at least')"), true);
    assert_eq!(browser.value("byId('about').textContent.includes('3n - 2 cycles, n^2 PEs')"), true);
    assert_quiet(&browser);
}

#[test]
fn pages_fit_narrow_and_wide_windows_in_light_and_dark() {
    let pages = [
        Made::product("M=4,N=4,K=4"),
        Made::new(&["run", "kernels/matmul.rec", "--schedule", "cannon", "--size", "M=32,N=32,K=4"], None),
        Made::new(&["run", "kernels/cholesky.rec", "--size", "N=9", "--cell", "all"], None),
        Made::new(&["run", "FILE", "--size", "NumberOfAttentionHeads=3,KeyDimension=4"], Some(&long_names())),
    ];
    for width in [420, 1400, 2200] {
        let Some(mut browser) = Browser::start(width, 900) else { return };
        let schemes = if width == 1400 { ["dark", "light"] } else { ["light", "dark"] };
        for scheme in share(schemes, 2) {
            let preferred = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
            browser.ask("Emulation.setEmulatedMedia", &preferred);
            for made in &pages {
                browser.open(&made.path());
                assert_fits(&mut browser);
                browser.press("End");
                browser.press("ArrowLeft");
                assert_fits(&mut browser);
                assert_quiet(&browser);
            }
        }
    }
}

/// A product of a matrix and a vector whose names are long, and have no place where a line may break.
fn long_names() -> String {
    let weights = format!("attention_output_weights_{}", "of_a_layer_".repeat(6));
    format!(
        "kernel scaled_dot_product_attention_of_one_head(NumberOfAttentionHeads, KeyDimension)\n\
         in {weights}[NumberOfAttentionHeads, KeyDimension], query[KeyDimension]\n\
         out {weights}y[NumberOfAttentionHeads]\n\
         {weights}y[i] = sum(j) {weights}[i, j] * query[j]\n"
    )
}

/// What can be scrolled can be reached by the keyboard, and has a name.
#[test]
fn what_scrolls_is_reached_by_the_keyboard() {
    let Some(mut browser) = Browser::start(420, 800) else { return };
    browser.open(&Made::new(&["run", "kernels/cholesky.rec", "--size", "N=5"], None).path());
    let unreached = "[...document.querySelectorAll('main *')].filter(one => getComputedStyle(one).overflowX === 'auto') \
                     .filter(one => one.tabIndex < 0 || !one.getAttribute('aria-label')).map(one => one.id || one.className)";
    assert_eq!(browser.value(unreached), json!([]));
    assert_quiet(&browser);
}
