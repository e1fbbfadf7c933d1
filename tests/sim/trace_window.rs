//! Which windows there are, and which a run has.

use super::traced::{cases, window};
use systole_run::sim::Order;
use systole_run::sim::observe::Event;
use systole_run::sim::trace::{Recorder, Window};

fn refusal(text: &str) -> String {
    let faults = Window::parse(text).expect_err("no window");
    faults.iter().map(|fault| format!("{fault} {}", fault.help_text().unwrap_or_default())).collect()
}

#[test]
fn a_window_is_two_numbers_of_which_the_second_is_left_out() {
    let window = Window::parse("3..5").expect("a window");
    assert_eq!((window.from(), window.to()), (3, 5));
    assert_eq!([2, 3, 4, 5].map(|clock| window.holds(clock)), [false, true, true, false]);
    assert_eq!(
        [window.cut(0, 3), window.cut(0, 4), window.cut(4, 9), window.cut(5, 9)],
        [None, Some((3, 4)), Some((4, 5)), None]
    );
    assert!(Window::parse("0..18446744073709551615").is_ok());
}

#[test]
fn reversed_empty_and_unreadable_windows_are_refused_in_words() {
    assert!(refusal("5..3").contains("the window 5..3 ends before it begins"));
    assert!(refusal("5..5").contains("the window 5..5 holds no cycle"));
    assert!(Window::parse("5..6").is_ok());
    for text in ["", "7", "7-9", "..", "3..", "..3", "a..b", "-1..3", "1..2..3", "1.5..2", "0..18446744073709551616"] {
        let message = refusal(text);
        assert!(message.contains(&format!("`{text}`")), "{message}");
        assert!(message.contains("write FROM..TO, such as 0..200"), "{message}");
    }
}

/// What happens at the last clock is in a trace; there is nothing after it, unless PEs wait for ever.
#[test]
fn a_window_after_the_end_of_the_run_is_refused() {
    for case in cases() {
        let seen = case.see();
        let cycles = seen.outcome.cycles;
        assert!(case.trace(Order::FirstIn, window(cycles, cycles + 1)).is_ok());
        let beyond = case.trace(Order::FirstIn, window(cycles + 1, cycles + 2));
        match seen.outcome.deadlock {
            Some(_) => assert!(beyond.is_ok()),
            None => {
                let faults = beyond.expect_err("nothing happens there");
                let expected = format!("the window {}..{} begins after the run has ended", cycles + 1, cycles + 2);
                assert!(faults[0].message().contains(&expected), "{}", faults[0]);
            }
        }
    }
}

/// Whether a recorder of a window keeps an event: all but `let`s and beginnings that lie in it, and words whose slot is free in it.
fn is_kept(event: &Event, window: Window, response: u64) -> bool {
    match *event {
        Event::Computed { .. } | Event::Began { .. } => false,
        Event::Busy { from, to, .. }
        | Event::Stalled { from, to, .. }
        | Event::Starved { from, to, .. }
        | Event::Unheard { from, to, .. } => from.max(window.from()) < to.min(window.to()),
        Event::Received { clock, .. } => clock + response >= window.from() && clock < window.to(),
        Event::Sent { clock, .. }
        | Event::Driven { clock, .. }
        | Event::BusRead { clock, .. }
        | Event::Loaded { clock, .. }
        | Event::Stored { clock, .. } => window.holds(clock),
    }
}

/// What a trace holds depends on its window, and not on how long the run is; none too many is allowed.
#[test]
fn a_trace_with_more_events_than_allowed_is_refused() {
    for case in cases() {
        let seen = case.see();
        for window in [Window::WHOLE, window(0, 1), window(2, 6)] {
            let kept = |event: &&Event| is_kept(event, window, case.settings.response);
            let count = seen.events.iter().filter(kept).count() as u64;
            let finish = |limit: u64| {
                let mut recorder = Recorder::new(&case.program, &case.settings, window).at_most(limit);
                case.observe(Order::FirstIn, &mut recorder);
                recorder.finish(&seen.outcome)
            };
            assert!(finish(count).is_ok(), "{} {window:?}", case.name);
            let Some(limit) = count.checked_sub(1) else { continue };
            let faults = finish(limit).expect_err("one too many");
            let expected = format!("a trace of {count} events is longer than the limit of {limit}");
            assert_eq!(faults[0].message(), expected);
            assert!(faults[0].help_text().is_some_and(|help| help.contains("--window")));
        }
    }
}
