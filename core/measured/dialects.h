// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of frameworks that log their steps as text: one row each. Internal to core/measured.
#pragma once

#include "core/measured/lineformat.h"

#include <array>

namespace prism {

/// Format of a framework's step lines. A mark is the text before a number, or after it where the mark begins with '#'.
struct Dialect {
    enum class Value {
        step,
        mean,
        sum,
        clock,
        rate,
        stamp
    }; ///< rate: steps per second; stamp: the line has no time but when it was written
    const char* name;
    const char* time; ///< mark; empty for stamps
    double unitSeconds;
    const char* step; ///< mark; empty = the lines have no number
    Value value = Value::step;
    std::array<const char*, 2> words = {"", ""}; ///< that the line must contain too
    const char* note = "";
    bool isSplit = false; ///< the number is in a line before that of the time
};

inline constexpr const char* kSamplesMarks[] = {"consumed samples:", "consumed_samples"};
inline constexpr const char* kIterationNote = "the time is that of one micro-batch: with gradient accumulation a step has several";
inline constexpr const char* kRateNote = "the time is 1 over a rate, which is a mean over the last batches and rounded as printed";

// Sources: Megatron-LM training.py training_log(); Megatron-Bridge train_utils.py; NeMo's progress lines; DeepSpeed's pipeline engine and
// utils/timer.py ThroughputTimer.stop(): "global_step=10, Running...", before 0.8 "0/10, Running..." and before 0.6 "0/10, SamplesPerSec="
// (deepspeedai/DeepSpeed#1825; its samples per second are over a batch that differs between releases, #2498); MaxText's guide to its logs;
// nanoGPT train.py; LitGPT pretrain.py; llm.c train_gpt2.cu, .py and .c; veRL's console logger; PaddleNLP trainer.py and its older
// run_pretrain.py; Composer's console logger; modded-nanogpt train_gpt.py; torchtitan components/metrics.py ("wps" until 2024); InternLM
// and InternEvo record_current_batch_training_metrics (fwd_bwd_time leaves the optimizer out); OLMo train.py and OLMo-core.
inline constexpr Dialect kDialects[] = {
    {"Megatron-LM standard output", "elapsed time per iteration (ms):", 1e-3, "iteration ", Dialect::Value::mean},
    {"Megatron-LM standard output", "elapsed time per iteration (s):", 1.0, "iteration ", Dialect::Value::mean},
    {"Megatron-Bridge standard output", "Step Time :", 1.0, "iteration ", Dialect::Value::step, {"GPU utilization", ""}},
    {"NeMo / Lightning progress lines", "train_step_timing in s", 1.0, "global_step"},
    {"DeepSpeed standard output", "iter time (s):", 1.0, "steps:", Dialect::Value::mean},
    {"MaxText standard output", ", seconds:", 1.0, "completed step:", Dialect::Value::step, {"completed step:", ""}},
    {"nanoGPT standard output", ", time ", 1e-3, "iter ", Dialect::Value::step, {"iter ", "ms"}},
    {"LitGPT standard output", "iter time:", 1e-3, "iter ", Dialect::Value::step, {"| iter ", " ms"}, kIterationNote},
    {"llm.c standard output", "# ms |", 1e-3, "step ", Dialect::Value::step, {"| norm ", "tok/s"}},
    {"llm.c standard output", "(took ", 1e-3, "step ", Dialect::Value::step, {"train loss", "ms)"}},
    {"veRL standard output", "timing_s/step:", 1.0, "step:"},
    {"PaddleNLP standard output", "interval_runtime:", 1.0, "global_step:", Dialect::Value::sum, {"", ""}, "", true},
    {"PaddleNLP standard output", "avg_batch_cost:", 1.0, "global step ", Dialect::Value::mean},
    {"Composer standard output", "throughput/batches_per_sec", 1.0, "time/batch:", Dialect::Value::rate, {"", ""}, kRateNote, true},
    {"Composer standard output", "throughput/batches_per_sec", 1.0, "[batch=", Dialect::Value::rate, {"", ""}, kRateNote, true},
    {"modded-nanogpt standard output", "train_time:", 1e-3, "step:", Dialect::Value::clock, {"train_time:", "ms"}},
    {"torchtitan standard output", "", 1.0, "step:", Dialect::Value::stamp, {"loss:", "tps:"}},
    {"torchtitan standard output", "", 1.0, "step:", Dialect::Value::stamp, {"loss:", "wps:"}},
    {"DeepSpeed throughput lines", "", 1.0, "#, RunningAvgSamplesPerSec=", Dialect::Value::stamp, {"CurrSamplesPerSec=", "/"}},
    {"DeepSpeed throughput lines", "", 1.0, "#, SamplesPerSec=", Dialect::Value::stamp, {"/", "]"}},
    {"InternLM standard output", "", 1.0, "step=", Dialect::Value::stamp, {"tgs (tokens/gpu/second)=", "loss="}},
    {"OLMo standard output", "", 1.0, "[step=", Dialect::Value::stamp, {"olmo", "INFO"}},
};

} // namespace prism
