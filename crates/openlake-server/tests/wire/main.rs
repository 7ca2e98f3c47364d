//! A whole server in this process, spoken to over real TCP: what clients see byte by byte.

mod client;
mod harness;

mod conditions;
mod connection;
mod damage;
mod keys;
mod life;
mod listing;
mod memory;
mod objects;
mod ranges;
mod refusals;
mod time_limits;
mod uploads;
