// step.cc: runs JavaScript one machine instruction at a time and walks V8's frames at each. Preloaded into fino; a
// program begins and ends a stretch by writing "@step" and "@stop", each as a line.
//
// The oracle is a shadow stack: the return addresses that calls have pushed since the stretch began, for as long as the
// stack pointer is not above them. V8 also takes a return address off the stack to push it again elsewhere: in between
// it is "in flight". Where native code is called, the walk is judged that begins in its caller: while a function is
// deoptimised, by what was on the stack when that began. What the stack holds that no call has pushed (a deoptimised
// frame) makes the oracle begin anew.
//
// A function that is missing is an error, and so is anything else that was not called. Counted and not errors: a
// builtin missing that another one works for without a frame; the return address of an earlier call of the right
// function, while arguments are being moved; the function of a builtin without a frame that is in a write barrier; a
// walk that ends at the builtin that deoptimises, outside of its calls.
#include <v8-profiler.h>
#include <v8.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "walk.h"

namespace {

constexpr greg_t kTrapFlag = 0x100;
constexpr size_t kStepsDefault = 100000;

struct Code {
    uintptr_t start, limit;
    std::string name;
};

struct Entry {
    uintptr_t slot, return_address;
};

struct Failure {
    size_t count;
    std::set<uintptr_t> offsets; // of the instructions in their code
};

enum Verdict {
    kRight,
    kOtherCall,
    kBuiltinMissing,
    kBarrier,
    kFrameMoved,
    kFunctionMissing,
    kTruncated,
    kWrong,
    kVerdictCount
};
const char *const kVerdictNames[] = {"right",
                                     "of another call of the same function",
                                     "a builtin missing",
                                     "without the function below a write barrier",
                                     "cut short where a deoptimised function's frame moves",
                                     "a function missing",
                                     "cut short",
                                     "wrong"};

std::vector<Code> *codes; // sorted when looked at
bool codes_sorted;
std::map<std::string, Failure> *failures; // by what is printed of them
size_t verdicts[kVerdictCount];
size_t steps, steps_max, restarts;

Entry shadow[1 << 16];
size_t depth;
uintptr_t in_flight, last_pc, last_sp;
std::vector<Entry> deoptimised; // the shadow stack when a deoptimisation began; empty: none is under way
size_t deoptimisations;
uintptr_t stack_low, stack_limit;
volatile bool stepping;

// ---- V8's code

void on_code(const v8::JitCodeEvent *event) {
    if (event->code_type != v8::JitCodeEvent::JIT_CODE) return;
    auto start = reinterpret_cast<uintptr_t>(event->code_start);
    if (event->type == v8::JitCodeEvent::CODE_ADDED) {
        codes->push_back({start, start + event->code_len, std::string(event->name.str, event->name.len)});
    } else if (event->type == v8::JitCodeEvent::CODE_MOVED) {
        start = reinterpret_cast<uintptr_t>(event->new_code_start);
        codes->push_back({start, start + event->code_len, "(moved)"});
    }
    codes_sorted = false;
}

const Code *find_code(uintptr_t pc) {
    if (!codes_sorted) {
        std::stable_sort(codes->begin(), codes->end(), [](const Code &a, const Code &b) { return a.start < b.start; });
        codes_sorted = true;
    }
    auto after = std::upper_bound(codes->begin(), codes->end(), pc,
                                  [](uintptr_t address, const Code &code) { return address < code.start; });
    return after == codes->begin() || pc >= (after - 1)->limit ? nullptr : &*(after - 1);
}

const std::string &name_of(uintptr_t pc) {
    static const std::string unknown = "(not V8's)";
    const Code *code = find_code(pc);
    return code != nullptr ? code->name : unknown;
}

bool is_function(uintptr_t pc) { // of JavaScript, not a builtin: the interpreter's code stands for one that has a frame
    return name_of(pc).find("Function:") == 0 || name_of(pc).find("Script:") == 0 || name_of(pc).find("Eval:") == 0;
}

// ---- The oracle

bool is_call(uintptr_t pc) {
    auto code = reinterpret_cast<const uint8_t *>(pc);
    while (*code == 0xf2 || *code == 0xf3 || *code == 0x3e || *code == 0x66 || (*code & 0xf0) == 0x40)
        code++;
    return code[0] == 0xe8 || (code[0] == 0xff && (code[1] >> 3 & 7) == 2);
}

uintptr_t word_at(uintptr_t address) {
    return *reinterpret_cast<const uintptr_t *>(address);
}

void follow(uintptr_t pc, uintptr_t sp) { // the instruction at last_pc
    while (depth > 0 && shadow[depth - 1].slot < sp)
        in_flight = shadow[--depth].return_address;
    if (in_flight == pc) in_flight = 0; // returned
    bool pushed_again = in_flight != 0 && sp == last_sp - 8 && word_at(sp) == in_flight;
    if (is_call(last_pc) || pushed_again) {
        shadow[depth++] = {sp, word_at(sp)};
        in_flight = 0;
    }
}

bool is_intact() {
    for (size_t i = 0; i < depth; i++)
        if (word_at(shadow[i].slot) != shadow[i].return_address) return false;
    return true;
}

// Does RESULT agree with the shadow stack, as far as that goes, without the innermost SKIPPED return addresses of it?
bool agrees(const walk_result &result, size_t skipped) {
    size_t i = 0;
    while (i < result.count && i + skipped < depth &&
           result.return_addresses[i] == shadow[depth - 1 - i - skipped].return_address)
        i++;
    return i + skipped >= depth || (i == result.count && !result.truncated);
}

Verdict judge(uintptr_t pc, const walk_result &result) {
    if (result.truncated && result.count == 0 && name_of(pc).find("Builtin:DeoptimizationEntry_") == 0)
        return kFrameMoved;
    if (in_flight != 0) { // the innermost return address is in a register
        shadow[depth++] = {0, in_flight};
        bool known = agrees(result, 0) || (agrees(result, 1) && (result.may_be_frameless || !is_function(in_flight)));
        depth--;
        return known ? kRight : kFunctionMissing;
    }
    if (agrees(result, 0)) return kRight;
    uintptr_t innermost = shadow[depth - 1].return_address;
    if (agrees(result, 1)) {
        for (uintptr_t candidate : result.candidates) {
            if (!result.may_be_frameless) break;
            if (candidate == innermost) return kRight;
            if (candidate != 0 && find_code(candidate) == find_code(innermost)) return kOtherCall;
        }
        return is_function(innermost) ? kFunctionMissing : kBuiltinMissing;
    }
    bool in_barrier = name_of(pc).find("Builtin:RecordWrite") == 0;
    if (in_barrier && result.count > 0 && result.return_addresses[0] == innermost) return kBarrier;
    return result.truncated ? kTruncated : kWrong;
}

void check(const ucontext_t *context, bool is_leaf) {
    static const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    uintptr_t gpr[16], pc = static_cast<uintptr_t>(context->uc_mcontext.gregs[REG_RIP]);
    static walk_result result;
    for (int i = 0; i < 16; i++)
        gpr[i] = static_cast<uintptr_t>(context->uc_mcontext.gregs[order[i]]);
    if (!is_leaf) { // as it will be when native code returns
        pc = word_at(gpr[7]);
        gpr[7] += 8;
    }
    walk_from(pc, is_leaf, gpr, stack_low, stack_limit, &result);
    Verdict verdict = judge(pc, result);
    verdicts[verdict]++;
    if (verdict < kFunctionMissing) return;
    const Code *code = find_code(pc);
    std::string text =
        std::string(kVerdictNames[verdict]) + ": in " + name_of(pc) + (result.may_be_frameless ? " (on a frame)" : "");
    for (size_t i = 0; i < 3; i++) {
        uintptr_t truth = i < depth ? shadow[depth - 1 - i].return_address : 0;
        uintptr_t found = i < result.count ? result.return_addresses[i] : 0;
        text += "\n      " + (truth != 0 ? name_of(truth) : "-") + " | " + (found != 0 ? name_of(found) : "-");
    }
    auto &failure = (*failures)[text];
    failure.count++;
    if (code != nullptr) failure.offsets.insert(pc - code->start);
}

// V8's code has called native code: it is on top of the shadow stack itself.
void check_native_call(const ucontext_t *context) {
    Entry caller = shadow[--depth];
    bool deoptimises = name_of(caller.return_address).find("Builtin:DeoptimizationEntry_") == 0;
    bool again = deoptimises && !deoptimised.empty();
    if (deoptimises && !again) {
        deoptimised.assign(shadow, shadow + depth);
        deoptimisations++;
    }
    std::vector<Entry> before(shadow, shadow + depth);
    if (again) {
        depth = deoptimised.size();
        std::copy(deoptimised.begin(), deoptimised.end(), shadow);
        deoptimised.clear();
    }
    if (depth > 0) check(context, false);
    depth = before.size();
    std::copy(before.begin(), before.end(), shadow);
    shadow[depth++] = caller;
}

// The process ends here: what it has to do is done.
[[noreturn]] void report() {
    size_t bad = verdicts[kFunctionMissing] + verdicts[kTruncated] + verdicts[kWrong];
    fprintf(stderr, "%zu instructions of V8's code, %zu restarts:", steps, restarts);
    for (int i = 0; i < kVerdictCount; i++)
        fprintf(stderr, " %zu %s%s", verdicts[i], kVerdictNames[i], i + 1 < kVerdictCount ? "," : "\n");
    for (const auto &[text, failure] : *failures) {
        fprintf(stderr, "  %zu x %s\n      at", failure.count, text.c_str());
        for (uintptr_t offset : failure.offsets)
            fprintf(stderr, " +%zx", offset);
        fprintf(stderr, "\n");
    }
    bool too_few = verdicts[kRight] < steps_max / 2 || steps < steps_max;
    if (too_few) fprintf(stderr, "too little was stepped through\n");
    const char *wanted = getenv("WALK_DEOPTIMISATIONS");
    bool none = wanted != nullptr && deoptimisations < strtoul(wanted, nullptr, 10);
    if (none) fprintf(stderr, "only %zu deoptimisations\n", deoptimisations);
    _exit(bad > 0 || too_few || none);
}

void on_trap(int, siginfo_t *, void *ucontext) {
    auto *context = static_cast<ucontext_t *>(ucontext);
    auto pc = static_cast<uintptr_t>(context->uc_mcontext.gregs[REG_RIP]);
    auto sp = static_cast<uintptr_t>(context->uc_mcontext.gregs[REG_RSP]);
    if (steps >= steps_max) report();
    if (!stepping) {
        context->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
        return;
    }
    bool calls = last_pc != 0 && walk_owns(last_pc) && is_call(last_pc);
    if (last_pc != 0) follow(pc, sp);
    last_pc = pc;
    last_sp = sp;
    if (calls && !walk_owns(pc) && is_intact()) check_native_call(context);
    if (!walk_owns(pc)) return;
    steps++;
    if (!is_intact()) {
        depth = 0;
        in_flight = 0;
        restarts++;
    }
    if (depth > 0) check(context, true);
}

// ---- Beginning and end

void prepare() {
    auto *isolate = v8::Isolate::GetCurrent();
    codes = new std::vector<Code>;
    failures = new std::map<std::string, Failure>;
    {
        v8::HandleScope handles(isolate);
        isolate->SetJitCodeEventHandler(v8::kJitCodeEventEnumExisting, on_code);
    }
    void *jit, *low;
    const void *embedded;
    size_t jit_nbytes, embedded_nbytes, stack_nbytes;
    isolate->GetCodeRange(&jit, &jit_nbytes);
    isolate->GetEmbeddedCodeRange(&embedded, &embedded_nbytes);
    walk_ranges ranges{};
    ranges.jit_start = reinterpret_cast<uintptr_t>(jit);
    ranges.jit_limit = ranges.jit_start + jit_nbytes;
    ranges.embedded_start = reinterpret_cast<uintptr_t>(embedded);
    ranges.embedded_limit = ranges.embedded_start + embedded_nbytes;
    for (const Code &code : *codes) {
        if (code.name == "Builtin:BaselineOutOfLinePrologue" && code.start - ranges.embedded_start < embedded_nbytes)
            ranges.baseline_prologue = code.start;
    }
    walk_prepare(&ranges);
    for (const Code &code : *codes)
        if (code.name.find("Builtin:DeoptimizationEntry_") == 0)
            walk_add_deopt_entry(code.start, code.limit - code.start);
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &stack_nbytes);
    stack_low = reinterpret_cast<uintptr_t>(low);
    stack_limit = stack_low + stack_nbytes;
    const char *wanted = getenv("WALK_STEPS");
    steps_max = wanted ? strtoul(wanted, nullptr, 10) : kStepsDefault;
    struct sigaction action {};
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, nullptr);
}

} // namespace

extern "C" __attribute__((visibility("default"))) ssize_t write(int fd, const void *bytes, size_t nbytes) {
    if (nbytes == 6 && memcmp(bytes, "@step\n", 6) == 0) {
        prepare();
        stepping = true;
        asm volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
    } else if (nbytes == 6 && memcmp(bytes, "@stop\n", 6) == 0) {
        stepping = false;
        report();
    }
    return syscall(SYS_write, fd, bytes, nbytes);
}
