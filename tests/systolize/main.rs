//! The systolizing scheme: against the tables of the report, against brute force, and simulated.

mod brute;

mod common;

mod designs;

mod expressions;

mod pipes;

mod pool;

mod programs;

mod properties;

mod refusals;

mod report;

mod runs;

mod setting;

mod twins;
