//! All integration tests in one binary: `support` is the sealed environment, every other module covers one subject.

mod cli;
mod compat;
mod dashboard;
mod docs;
mod hosts;
mod layers;
mod lifecycle;
mod mcp;
mod real;
mod recipes;
mod supervisor;
mod support;
mod vocabulary;
mod web;
