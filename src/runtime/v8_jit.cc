// v8_jit.cc: V8's JIT code events, code ranges and interrupts for the profiler; see v8_jit.h.
#include "runtime/v8_jit.h"

#include <v8-profiler.h>
#include <v8.h>

#include <cstring>

namespace {

// The isolate data slot that holds the listener. The shim keeps its Realm in slot 0.
constexpr uint32_t kListenerSlot = 1;

v8::Isolate *FromC(v8s_isolate *isolate) {
    return reinterpret_cast<v8::Isolate *>(isolate);
}

const v8s_code_listener *ListenerOf(v8::Isolate *isolate) {
    return static_cast<const v8s_code_listener *>(isolate->GetData(kListenerSlot));
}

static_assert(static_cast<int>(V8S_CODE_BYTECODE) == v8::JitCodeEvent::BYTE_CODE, "v8s_code_kind mirrors CodeType");
static_assert(static_cast<int>(V8S_CODE_MACHINE) == v8::JitCodeEvent::JIT_CODE, "v8s_code_kind mirrors CodeType");
static_assert(static_cast<int>(V8S_CODE_WASM) == v8::JitCodeEvent::WASM_CODE, "v8s_code_kind mirrors CodeType");
static_assert(static_cast<int>(V8S_CODE_ADDED) == v8::JitCodeEvent::CODE_ADDED, "event types mirror EventType");
static_assert(static_cast<int>(V8S_CODE_MOVED) == v8::JitCodeEvent::CODE_MOVED, "event types mirror EventType");
static_assert(static_cast<int>(V8S_CODE_REMOVED) == v8::JitCodeEvent::CODE_REMOVED, "event types mirror EventType");

void OnCodeEvent(const v8::JitCodeEvent *from) {
    if (from->type > v8::JitCodeEvent::CODE_REMOVED) return; // line infos: read from the code objects instead
    const v8s_code_listener *listener = ListenerOf(from->isolate);
    if (listener == nullptr) return;
    v8s_code_event event{};
    event.type = static_cast<v8s_code_event_type>(from->type);
    event.kind = static_cast<v8s_code_kind>(from->code_type);
    event.start = reinterpret_cast<uintptr_t>(from->code_start);
    event.nbytes = from->code_len;
    if (from->type == v8::JitCodeEvent::CODE_MOVED) {
        event.new_start = reinterpret_cast<uintptr_t>(from->new_code_start);
    } else if (from->type == v8::JitCodeEvent::CODE_ADDED) {
        event.name = from->name.str;
        event.name_nbytes = from->name.len;
        if (!from->script.IsEmpty()) {
            v8::Local<v8::UnboundScript> script = from->script;
            event.shared = *reinterpret_cast<uintptr_t *>(*script);
            event.script_id = script->GetId();
            event.script = &script;
            listener->on_code(listener->context, &event);
            return;
        }
    }
    listener->on_code(listener->context, &event);
}

void OnGcPrologue(v8::Isolate *isolate, v8::GCType, v8::GCCallbackFlags, void *) {
    if (const v8s_code_listener *listener = ListenerOf(isolate)) listener->on_gc(listener->context, true);
}

void OnGcEpilogue(v8::Isolate *isolate, v8::GCType, v8::GCCallbackFlags, void *) {
    if (const v8s_code_listener *listener = ListenerOf(isolate)) listener->on_gc(listener->context, false);
}

template <class T> uintptr_t Tagged(v8::Local<T> object) {
    return *reinterpret_cast<uintptr_t *>(*object);
}

// An exercise under way: what is to be shown, and to whom.
struct Exhibition {
    v8::Local<v8::Function> outer, framed;
    v8::Local<v8::Context> context;
    v8s_code_exhibit exhibit;
    void (*visit)(void *context, const v8s_code_exhibit *exhibit);
    void *visit_context;
    bool visited;
};

void Show(const v8::FunctionCallbackInfo<v8::Value> &info) {
    Exhibition *exhibition = static_cast<Exhibition *>(info.Data().As<v8::External>()->Value());
    v8s_code_exhibit *exhibit = &exhibition->exhibit;
    exhibit->outer = Tagged(exhibition->outer);
    exhibit->framed = Tagged(exhibition->framed);
    exhibit->context = Tagged(exhibition->context);
    exhibit->stack_low = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    exhibition->visit(exhibition->visit_context, exhibit);
    exhibition->visited = true;
}

bool Exercise(v8::Local<v8::Context> context, void (*visit)(void *, const v8s_code_exhibit *), void *visit_context) {
    v8::Isolate *isolate = context->GetIsolate();
    v8::ScriptOrigin origin(isolate, v8::String::NewFromUtf8Literal(isolate, "fino:selftest"));
    v8::Local<v8::String> source = v8::String::NewFromUtf8(isolate, v8s_code_exercise_source).ToLocalChecked();
    v8::Local<v8::Script> script;
    if (!v8::Script::Compile(context, source, &origin).ToLocal(&script) || script->Run(context).IsEmpty()) return false;
    auto function = [&](const char *name) {
        v8::Local<v8::String> key = v8::String::NewFromUtf8(isolate, name).ToLocalChecked();
        return context->Global()->Get(context, key).ToLocalChecked().As<v8::Function>();
    };
    Exhibition shown{function("fino_outer"), function("fino_framed"), context, {}, visit, visit_context, false};
    v8::Local<v8::Value> result, show;
    if (!function("fino_optimize")->Call(context, context->Global(), 0, nullptr).ToLocal(&result)) return false;
    shown.exhibit.optimized = result->IsTrue();
    shown.exhibit.stack_high = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    show = v8::Function::New(context, Show, v8::External::New(isolate, &shown)).ToLocalChecked();
    return !shown.framed->Call(context, context->Global(), 1, &show).IsEmpty() && shown.visited;
}

} // namespace

extern "C" {

void v8s_code_listen(v8s_isolate *isolate_c, const v8s_code_listener *listener) {
    v8::Isolate *isolate = FromC(isolate_c);
    if (listener == nullptr) {
        isolate->SetJitCodeEventHandler(v8::kJitCodeEventDefault, nullptr);
        isolate->RemoveGCPrologueCallback(OnGcPrologue, nullptr);
        isolate->RemoveGCEpilogueCallback(OnGcEpilogue, nullptr);
        isolate->SetData(kListenerSlot, nullptr);
        return;
    }
    v8::HandleScope handles(isolate);
    isolate->SetData(kListenerSlot, const_cast<v8s_code_listener *>(listener));
    isolate->AddGCPrologueCallback(OnGcPrologue, nullptr, v8::kGCTypeMarkSweepCompact);
    isolate->AddGCEpilogueCallback(OnGcEpilogue, nullptr, v8::kGCTypeMarkSweepCompact);
    isolate->SetJitCodeEventHandler(v8::kJitCodeEventEnumExisting, OnCodeEvent);
}

size_t v8s_code_event_script_name(const v8s_code_event *event, char *buffer, size_t cap) {
    buffer[0] = '\0';
    if (event->script == nullptr) return 0;
    v8::Local<v8::UnboundScript> script = *static_cast<v8::Local<v8::UnboundScript> *>(event->script);
    v8::Isolate *isolate = v8::Isolate::GetCurrent();
    v8::Local<v8::Value> name = script->GetScriptName();
    if (name.IsEmpty() || !name->IsString() || name.As<v8::String>()->Length() == 0) name = script->GetSourceURL();
    if (name.IsEmpty() || !name->IsString()) return 0;
    int nbytes = name.As<v8::String>()->WriteUtf8(isolate, buffer, static_cast<int>(cap - 1), nullptr,
                                                  v8::String::NO_NULL_TERMINATION | v8::String::REPLACE_INVALID_UTF8);
    buffer[nbytes] = '\0';
    return static_cast<size_t>(nbytes);
}

void v8s_get_code_ranges(v8s_isolate *isolate, v8s_code_ranges *ranges_out) {
    void *start = nullptr;
    const void *embedded = nullptr;
    size_t nbytes = 0;
    FromC(isolate)->GetCodeRange(&start, &nbytes);
    ranges_out->jit_start = reinterpret_cast<uintptr_t>(start);
    ranges_out->jit_limit = ranges_out->jit_start + nbytes;
    FromC(isolate)->GetEmbeddedCodeRange(&embedded, &nbytes);
    ranges_out->embedded_start = reinterpret_cast<uintptr_t>(embedded);
    ranges_out->embedded_limit = ranges_out->embedded_start + nbytes;
}

void v8s_code_keep_positions(v8s_isolate *isolate) {
    v8::CpuProfiler::UseDetailedSourcePositionsForProfiling(FromC(isolate));
}

void v8s_continuation_set(v8s_isolate *isolate, uint32_t number) {
    v8::Isolate *to = FromC(isolate);
    v8::Local<v8::Value> value = v8::Undefined(to).As<v8::Value>();
    if (number != 0) value = v8::Integer::NewFromUnsigned(to, number);
    to->GetCurrentContext()->SetContinuationPreservedEmbedderData(value);
}

uint32_t v8s_continuation_get(v8s_isolate *isolate) {
    v8::Local<v8::Value> value = FromC(isolate)->GetCurrentContext()->GetContinuationPreservedEmbedderData();
    return value->IsUint32() ? value.As<v8::Uint32>()->Value() : 0;
}

// The word of CONTEXT, an object of so many words, that is the Smi NUMBER, and the only one; 0: there is none.
static int FindSmi(uintptr_t context, int word_count, uint32_t number) {
    int found = 0;
    for (int i = 2; i < word_count; i++) {
        uintptr_t word;
        memcpy(&word, reinterpret_cast<const void *>(context - 1 + i * sizeof word), sizeof word);
        if (word != static_cast<uintptr_t>(number) << 32) continue;
        if (found != 0) return 0;
        found = i;
    }
    return found;
}

bool v8s_continuation_find(v8s_isolate *isolate, v8s_continuation_slot *slot_out) {
    constexpr uint32_t kFirst = 0x2A17C0D1, kSecond = 0x1B57E2F3; // nothing else is likely to be these
    *slot_out = {};
#ifdef V8_COMPRESS_POINTERS
    (void)isolate;
    return false;
#else
    v8::Isolate *of = FromC(isolate);
    v8::HandleScope scope(of);
    auto *keep = new v8::Global<v8::Context>(of, of->GetCurrentContext());
    const uintptr_t *slot;
    memcpy(&slot, static_cast<void *>(keep), sizeof slot); // a global handle is a pointer to its slot
    uintptr_t length;
    memcpy(&length, reinterpret_cast<const void *>(*slot - 1 + sizeof length), sizeof length);
    length >>= 32;
    int word_count = length > 16 && length < 4096 ? static_cast<int>(length) : 0;
    uint32_t before = v8s_continuation_get(isolate);
    v8s_continuation_set(isolate, kFirst);
    int first = FindSmi(*slot, word_count, kFirst);
    v8s_continuation_set(isolate, kSecond);
    int second = FindSmi(*slot, word_count, kSecond);
    v8s_continuation_set(isolate, before);
    *slot_out = {slot, first * static_cast<int>(sizeof *slot), keep};
    if (first != 0 && first == second) return true;
    v8s_continuation_forget(slot_out);
    return false;
#endif
}

void v8s_continuation_forget(v8s_continuation_slot *slot) {
    delete static_cast<v8::Global<v8::Context> *>(slot->keep);
    *slot = {};
}

const char v8s_code_exercise_source[] =
    "function fino_inner(x) { return x * 3 + 1; }\n"
    "function fino_outer(x) {\n"
    "  return fino_inner(x) + 2; }\n"
    "function fino_framed(visit) {\n"
    "  visit(); }\n"
    "function fino_optimize() {\n"
    "  %PrepareFunctionForOptimization(fino_inner); %PrepareFunctionForOptimization(fino_outer);\n"
    "  fino_outer(1); fino_outer(2); %OptimizeFunctionOnNextCall(fino_outer);\n"
    "  return fino_outer(3) === 12 && (%GetOptimizationStatus(fino_outer) & 16) !== 0; }\n";

bool v8s_code_exercise(v8s_isolate *isolate_c, const v8s_code_listener *listener,
                       void (*visit)(void *context, const v8s_code_exhibit *exhibit), void *context_c) {
    v8::Isolate *isolate = FromC(isolate_c);
    v8::HandleScope handles(isolate);
    v8::Local<v8::Context> context = v8::Context::New(isolate);
    v8::Context::Scope entered(context);
    v8::TryCatch caught(isolate);
    void *replaced = isolate->GetData(kListenerSlot);
    isolate->SetData(kListenerSlot, const_cast<v8s_code_listener *>(listener));
    isolate->SetJitCodeEventHandler(v8::kJitCodeEventDefault, OnCodeEvent);
    v8::V8::SetFlagsFromString("--allow-natives-syntax");
    bool visited = Exercise(context, visit, context_c);
    v8::V8::SetFlagsFromString("--no-allow-natives-syntax");
    isolate->SetJitCodeEventHandler(v8::kJitCodeEventDefault, replaced != nullptr ? OnCodeEvent : nullptr);
    isolate->SetData(kListenerSlot, replaced);
    return visited;
}

void v8s_request_interrupt(v8s_isolate *isolate, const v8s_interrupt *interrupt) {
    FromC(isolate)->RequestInterrupt(
        [](v8::Isolate *, void *data) {
            const v8s_interrupt *requested = static_cast<const v8s_interrupt *>(data);
            requested->run(requested->context);
        },
        const_cast<v8s_interrupt *>(interrupt));
}

} // extern "C"
