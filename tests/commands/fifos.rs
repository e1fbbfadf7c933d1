//! A model of PEs that are joined by blocking FIFOs, which shares no code with the simulator.
//!
//! In: the text of a program without buses, its sizes, and how long links take. Out: the largest clock of any PE when all are done;
//! none where they never are. The text is read, and its expressions are evaluated, by what stands here. Its rules, for a
//! channel of capacity C, latency L and response R:
//!
//! 1. A send of message m at clock t enters at e(m) = t where m < C, else at max(t, d(m - C) + R); the clock becomes e(m).
//! 2. A receive of message m at clock t is done at d(m) = max(t, e(m) + L), and so is the clock.
//! 3. `at t` is the later of both, `tick n` n cycles; nothing else takes time.

use std::collections::HashMap;

/// A word or a list.
enum Form {
    Word(String),
    List(Vec<Form>),
}

impl Form {
    fn list(&self) -> &[Form] {
        match self {
            Form::List(parts) => parts,
            Form::Word(word) => panic!("`{word}` is no list"),
        }
    }

    fn word(&self) -> &str {
        match self {
            Form::Word(word) => word,
            Form::List(_) => panic!("a list is no word"),
        }
    }

    /// The word that it begins with, and the rest.
    fn call(&self) -> (&str, &[Form]) {
        (self.list()[0].word(), &self.list()[1..])
    }
}

fn read(text: &str) -> Form {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut open = vec![vec![]];
    for token in spaced.split_whitespace() {
        match token {
            "(" => open.push(vec![]),
            ")" => {
                let list = Form::List(open.pop().expect("an open list"));
                open.last_mut().expect("a list around it").push(list);
            }
            word => open.last_mut().expect("a list").push(Form::Word(word.to_owned())),
        }
    }
    open.remove(0).remove(0)
}

type Values = HashMap<String, i64>;

fn value(form: &Form, values: &Values) -> i64 {
    if let Form::Word(word) = form {
        return word.parse().unwrap_or_else(|_| values[word]);
    }
    let (word, parts) = form.call();
    let parts: Vec<i64> = parts.iter().map(|part| value(part, values)).collect();
    match (word, &parts[..]) {
        ("+", all) => all.iter().sum(),
        ("*", all) => all.iter().product(),
        ("-", [a]) => -a,
        ("-", [a, b]) => a - b,
        ("floor", [a, n]) => a.div_euclid(*n),
        ("ceil", [a, n]) => -(-a).div_euclid(*n),
        ("mod", [a, n]) => a.rem_euclid(*n),
        ("min", all) => *all.iter().min().expect("operands"),
        ("max", all) => *all.iter().max().expect("operands"),
        _ => panic!("`{word}` is not in the model"),
    }
}

fn holds(conditions: &[Form], values: &Values) -> bool {
    conditions.iter().all(|condition| {
        let (word, sides) = condition.call();
        let (left, right) = (value(&sides[0], values), value(&sides[1], values));
        match word {
            "=" => left == right,
            ">=" => left >= right,
            "<=" => left <= right,
            _ => panic!("`{word}` is not in the model"),
        }
    })
}

/// What a PE does that has to do with time; wires are numbers.
#[derive(Clone, Copy)]
enum Act {
    Send(usize),
    Receive(usize),
    At(i64),
    Tick(i64),
}

struct Channel {
    offset: Vec<i64>,
    latency: i64,
    depth: usize,
}

/// A program at sizes: what each PE does, and the wires.
pub struct Model {
    channels: HashMap<String, Channel>,
    acts: Vec<Vec<Act>>,
    /// The channel of each wire.
    wires: Vec<String>,
    numbers: HashMap<(String, Vec<i64>), usize>,
    /// Whether the longest entry of an offset is its number of hops, not the sum of all.
    has_diagonals: bool,
}

/// How long links take; what is none is as the program says.
#[derive(Clone, Copy, Debug)]
pub struct Links {
    pub latency: Option<i64>,
    pub capacity: Option<usize>,
    pub response: i64,
}

impl Model {
    pub fn new(text: &str, sizes: &[(&str, i64)]) -> Model {
        let form = read(text);
        let forms = || form.list()[3..].iter().map(Form::call);
        let named = |wanted: &'static str| forms().filter(move |(word, _)| *word == wanted).map(|(_, rest)| rest);
        let mut model = Model {
            channels: named("channel").map(channel).collect(),
            acts: vec![],
            wires: vec![],
            numbers: HashMap::new(),
            has_diagonals: named("network").any(|rest| ["hex", "king"].contains(&rest[0].word())),
        };
        let sizes: Values = sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
        let mut points = vec![(vec![], sizes)];
        for side in named("grid").flatten() {
            points = points.iter().flat_map(|point| along(side.list(), point)).collect();
        }
        for (point, values) in points {
            let classes = named("class").chain(named("thin-class"));
            let mut own = classes.filter(|rest| holds(&rest[1].list()[1..], &values));
            if let Some(class) = own.next() {
                assert!(own.next().is_none(), "a PE of two classes");
                let mut acts = vec![];
                model.follow(&class[2..], &point, &mut values.clone(), &mut acts);
                model.acts.push(acts);
            }
        }
        model
    }

    fn follow(&mut self, body: &[Form], point: &[i64], values: &mut Values, acts: &mut Vec<Act>) {
        for form in body {
            let (word, rest) = form.call();
            match word {
                "loop" => {
                    let index = rest[0].word().to_owned();
                    for round in value(&rest[1], values)..=value(&rest[2], values) {
                        values.insert(index.clone(), round);
                        self.follow(&rest[3..], point, values, acts);
                    }
                    values.remove(&index);
                }
                "if" => {
                    let side = if holds(rest[0].list(), values) { &rest[1] } else { &rest[2] };
                    self.follow(side.list(), point, values, acts);
                }
                "at" => acts.push(Act::At(value(&rest[0], values))),
                "tick" => acts.push(Act::Tick(value(&rest[0], values))),
                "send" => acts.push(Act::Send(self.wire(rest[0].word(), point, 0))),
                "recv" => acts.push(Act::Receive(self.wire(rest[1].word(), point, -1))),
                "pass" => {
                    let (from, to) = (self.wire(rest[0].word(), point, -1), self.wire(rest[1].word(), point, 0));
                    (0..value(&rest[2], values)).for_each(|_| acts.extend([Act::Receive(from), Act::Send(to)]));
                }
                "let" | "load" | "store" | "fill" | "prefetch" | "local" => {}
                _ => panic!("`{word}` is not in the model"),
            }
        }
    }

    /// The wire of a channel whose sender lies so many offsets from a point.
    fn wire(&mut self, channel: &str, point: &[i64], times: i64) -> usize {
        let offset = &self.channels[channel].offset;
        let sender: Vec<i64> = point.iter().zip(offset).map(|(entry, step)| entry + times * step).collect();
        let wires = &mut self.wires;
        *self.numbers.entry((channel.to_owned(), sender)).or_insert_with(|| {
            wires.push(channel.to_owned());
            wires.len() - 1
        })
    }

    fn latency(&self, channel: &Channel, links: Links) -> i64 {
        let entries = channel.offset.iter().map(|entry| entry.abs());
        let hops = if self.has_diagonals { entries.max().unwrap_or(0) } else { entries.sum() };
        links.latency.map_or(channel.latency, |latency| (hops * latency).max(1))
    }

    /// The cycles of a run, none for a deadlock.
    pub fn cycles(&self, links: Links) -> Option<i64> {
        let timing = |channel: &String| {
            let channel = &self.channels[channel];
            (self.latency(channel, links), links.capacity.unwrap_or(channel.depth))
        };
        let timings: Vec<(i64, usize)> = self.wires.iter().map(timing).collect();
        let mut times = vec![(vec![], vec![]); self.wires.len()];
        let mut standing = vec![(0, 0); self.acts.len()];
        let mut moved = true;
        while std::mem::take(&mut moved) {
            for (acts, (next, clock)) in self.acts.iter().zip(&mut standing) {
                while let Some(later) = acts.get(*next).and_then(|act| step(*act, *clock, &mut times, &timings, links))
                {
                    (*next, *clock, moved) = (*next + 1, later, true);
                }
            }
        }
        let is_done = self.acts.iter().zip(&standing).all(|(acts, (next, _))| *next == acts.len());
        is_done.then(|| standing.iter().map(|(_, clock)| *clock).max().unwrap_or(0))
    }
}

/// The clock after an act; none where it has to wait.
fn step(
    act: Act,
    clock: i64,
    times: &mut [(Vec<i64>, Vec<i64>)],
    timings: &[(i64, usize)],
    links: Links,
) -> Option<i64> {
    match act {
        Act::At(time) => Some(clock.max(time)),
        Act::Tick(cycles) => Some(clock + cycles),
        Act::Send(wire) => {
            let ((entered, done), (_, capacity)) = (&mut times[wire], timings[wire]);
            let time = match entered.len().checked_sub(capacity) {
                Some(before) => clock.max(done.get(before)? + links.response),
                None => clock,
            };
            entered.push(time);
            Some(time)
        }
        Act::Receive(wire) => {
            let ((entered, done), (latency, _)) = (&mut times[wire], timings[wire]);
            let time = clock.max(entered.get(done.len())? + latency);
            done.push(time);
            Some(time)
        }
    }
}

fn channel(rest: &[Form]) -> (String, Channel) {
    let number = |form: &Form| form.word().parse().expect("a number");
    let setting = |form: &Form| number(&form.list()[1]);
    let offset = rest[1].list()[1..].iter().map(number).collect();
    let (latency, depth) = (setting(&rest[2]), setting(&rest[3]) as usize);
    (rest[0].word().to_owned(), Channel { offset, latency, depth })
}

/// The points of a side beside one of the sides before it.
fn along(side: &[Form], (point, values): &(Vec<i64>, Values)) -> Vec<(Vec<i64>, Values)> {
    let ends = value(&side[1], values)..=value(&side[2], values);
    let further = |entry: i64| {
        let named = values.clone().into_iter().chain([(side[0].word().to_owned(), entry)]);
        ([&point[..], &[entry]].concat(), named.collect())
    };
    ends.map(further).collect()
}
