//! The systolizing scheme: against the tables of the report, against brute force, and simulated.

mod brute;

mod common;

mod designs;

mod expressions;

mod pool;

mod programs;

mod properties;

mod refusals;

mod report;

mod twins;
