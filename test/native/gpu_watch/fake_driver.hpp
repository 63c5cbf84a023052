// What the fake driver answers; before anything asks it, `fake_gpus`.
#pragma once

extern "C" {
void fake_gpus(int count);
/// A backend has made its context.
void fake_use();
void fake_context_answer(int result);
void fake_presence_answer(int result);
/// Copies that the watch has asked for, and contexts that it has left current.
int fake_copies();
int fake_pushed();
}
