//! The pages in a real browser: they draw, they move, they complain of nothing and ask for nothing.

use super::devtools::Browser;
use super::made::Made;
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
