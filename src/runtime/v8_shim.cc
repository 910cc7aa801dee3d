// v8_shim.cc: the one place where fino meets V8's C++ API. See v8_shim.h for the contract.
//
// Owns: the conversion of handles, exceptions and callbacks; the platform (worker threads are libplatform's, the
// queue of foreground tasks is ours, so that the event loop can be woken); the state that hangs on an isolate.
// Leaves to its callers: every decision and every text that a person reads.

#include "runtime/v8_shim.h"

#include <dlfcn.h>
#include <libplatform/libplatform.h>
#include <v8.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <tuple>
#include <unordered_map>
#include <vector>

using namespace v8;

// ---- V8 versions ----
//
// Written for 10.2 (Debian 12); 11.3 (Debian 13) differs in these points only.
#if V8_MAJOR_VERSION >= 11
#define V8S_OOM_HANDLER(name) static void name(const char *location, const OOMDetails &details)
#define V8S_OOM_IS_HEAP(details) ((details).is_heap_oom)
#define V8S_OOM_PARAMETER details
static constexpr const char *kVersionFlags = "";
#else
#define V8S_OOM_HANDLER(name) static void name(const char *location, bool is_heap_oom)
#define V8S_OOM_IS_HEAP(is_heap_oom) (is_heap_oom)
#define V8S_OOM_PARAMETER is_heap_oom
static constexpr const char *kVersionFlags = "--harmony-import-assertions";
#endif
// Isolates with short calls of builtins have a copy of them each, next to their own code: 1.4 MB, and most of the time
// that making one takes. (Beyond some twenty isolates, when address space near V8's library is used up, the
// interpreter's frames return to the library all the same, where the code events of 10.2 do not say it is.) From 10.5
// on, flags can't be changed any more once there is an isolate.
#define V8S_CAN_SHARE_BUILTINS (V8_MAJOR_VERSION == 10 && V8_MINOR_VERSION < 5)
#define V8S_TELLS_OF_WAITS (V8_MAJOR_VERSION < 12) // later ones have no callback around Atomics.wait
// The words of (specifier, key, value, offset) in a module request's assertions, and of an import() call's.
static constexpr int kAssertionEntrySizeStatic = 3;
static constexpr int kAssertionEntrySizeDynamic = 2;

struct v8s_ref {
    Global<Data> handle;
};

struct v8s_module {
    Global<Module> handle;
    void *data;
    v8s_module_evaluator evaluate; // of a synthetic module
};

namespace {

class ForegroundTasks;

// Counts what array buffers take, for memoryUsage() and against a limit. Who made a buffer pays for it until it is
// freed or given away; of one that was taken over, or is of memory made elsewhere, the table of payers says who does.
class CountingAllocator : public ArrayBuffer::Allocator, public std::enable_shared_from_this<CountingAllocator> {
  public:
    // Before the first allocation. REACHED(DATA) is called when the limit is what keeps a buffer from being made.
    void set_limit(size_t nbytes, void (*reached)(void *), void *data) {
        limit_ = nbytes;
        reached_ = reached;
        data_ = data;
    }
    void *Allocate(size_t nbytes) override {
        return refuses(nbytes) ? nullptr : count(inner_->Allocate(nbytes), nbytes);
    }
    void *AllocateUninitialized(size_t nbytes) override {
        return refuses(nbytes) ? nullptr : count(inner_->AllocateUninitialized(nbytes), nbytes);
    }
    void Free(void *data, size_t nbytes) override {
        if (!settle(data, nbytes)) nbytes_ -= nbytes;
        inner_->Free(data, nbytes);
    }
    // DATA, which this one pays for, is under way: until somebody takes it, nobody does.
    void give(void *data, size_t nbytes) {
        if (nbytes == 0) return;
        note(data, nullptr);
        nbytes_ -= nbytes;
    }
    void take(void *data, size_t nbytes) {
        if (nbytes == 0) return;
        note(data, shared_from_this());
        nbytes_ += nbytes;
    }
    // Any thread: DATA is about to be freed. False: who made it pays for it.
    static bool settle(void *data, size_t nbytes) {
        if (payers().count == 0) return false;
        std::lock_guard<std::mutex> lock(payers().mutex);
        auto entry = payers().of.find(data);
        if (entry == payers().of.end()) return false;
        if (entry->second) entry->second->nbytes_ -= nbytes;
        payers().of.erase(entry);
        payers().count = payers().of.size();
        return true;
    }
    bool is_past_limit() const {
        return limit_ != 0 && nbytes_ > limit_;
    }
    void reach_limit() {
        reached_(data_);
    }
    void *Reallocate(void *data, size_t old_nbytes, size_t nbytes) override {
        if (nbytes > old_nbytes && refuses(nbytes - old_nbytes)) return nullptr;
        void *grown = inner_->Reallocate(data, old_nbytes, nbytes);
        if (grown) nbytes_ += nbytes - old_nbytes;
        return grown;
    }
    size_t nbytes() const {
        return nbytes_;
    }

  private:
    // V8 asks, collects garbage and asks again three times: only then it gives up.
    static constexpr int kAttempts = 4;

    bool refuses(size_t nbytes) {
        if (limit_ == 0 || (nbytes <= limit_ && nbytes_ <= limit_ - nbytes)) {
            refusals_ = 0;
            return false;
        }
        if (++refusals_ == kAttempts) {
            refusals_ = 0;
            reached_(data_);
        }
        return true;
    }
    void *count(void *data, size_t nbytes) {
        if (data) nbytes_ += nbytes;
        return data;
    }
    struct Payers {
        std::mutex mutex;
        std::unordered_map<void *, std::shared_ptr<CountingAllocator>> of;
        std::atomic<size_t> count{0}; // so that most need no lock
    };
    static Payers &payers() {
        static auto *all = new Payers; // buffers may outlive main()
        return *all;
    }
    static void note(void *data, std::shared_ptr<CountingAllocator> payer) {
        std::lock_guard<std::mutex> lock(payers().mutex);
        payers().of[data] = std::move(payer);
        payers().count = payers().of.size();
    }
    std::unique_ptr<ArrayBuffer::Allocator> inner_{ArrayBuffer::Allocator::NewDefaultAllocator()};
    std::atomic<size_t> nbytes_{0};
    size_t limit_ = 0; // 0: none
    std::atomic<int> refusals_{0};
    void (*reached_)(void *) = nullptr;
    void *data_ = nullptr;
};

// What hangs on an isolate.
struct State {
    v8s_host host;
    std::shared_ptr<CountingAllocator> allocator = std::make_shared<CountingAllocator>(); // outlived by what it gave
    Global<FunctionTemplate> host_class;
    Global<Function> stack_formatter;
    std::shared_ptr<ForegroundTasks> tasks;
    Global<Context> context;
    std::unordered_multimap<int, v8s_module *> modules; // by Module::GetIdentityHash
    v8s_module_resolver resolve = nullptr;              // while a module is instantiated
    std::atomic<bool> used_wasm{false};
    bool without_wasm = false;
    bool in_gc = false;
    std::atomic<bool> terminating{false}; // asked for and not cancelled
};

Isolate *unwrap(v8s_isolate *isolate) {
    return reinterpret_cast<Isolate *>(isolate);
}
v8s_isolate *wrap(Isolate *isolate) {
    return reinterpret_cast<v8s_isolate *>(isolate);
}
State *state_of(Isolate *isolate) {
    return static_cast<State *>(isolate->GetData(0));
}
Local<Context> context_of(Isolate *isolate) {
    return isolate->GetCurrentContext();
}

// A local handle is one pointer; it crosses the boundary as that.
static_assert(sizeof(Local<Data>) == sizeof(v8s_value), "a local handle is a pointer");

template <class T = Value> Local<T> in(v8s_value value) {
    Local<T> local;
    memcpy(static_cast<void *>(&local), &value, sizeof local);
    return local;
}

template <class T> v8s_value out(Local<T> local) {
    v8s_value value;
    memcpy(&value, static_cast<void *>(&local), sizeof value);
    return value;
}

template <class T> v8s_value out(MaybeLocal<T> maybe) {
    Local<T> local;
    return maybe.ToLocal(&local) ? out(local) : nullptr;
}

Local<String> text(Isolate *isolate, const char *utf8) {
    return String::NewFromUtf8(isolate, utf8).ToLocalChecked();
}

Local<String> name_of(Isolate *isolate, const char *utf8) {
    return String::NewFromUtf8(isolate, utf8, NewStringType::kInternalized).ToLocalChecked();
}

// Catches what the code in its scope throws, for CAUGHT; does nothing at all without one.
class Catcher {
  public:
    Catcher(Isolate *isolate, v8s_caught *caught) : caught_(caught) {
        if (!caught) return;
        *caught = {};
        ::new (storage_) TryCatch(isolate);
    }
    ~Catcher() {
        if (!caught_) return;
        if (scope().HasTerminated()) {
            caught_->terminated = true;
        } else if (scope().HasCaught()) {
            caught_->error = out(scope().Exception());
            caught_->message = out(scope().Message());
        }
        scope().~TryCatch();
    }

  private:
    TryCatch &scope() {
        return *std::launder(reinterpret_cast<TryCatch *>(storage_));
    }
    v8s_caught *caught_;
    alignas(TryCatch) unsigned char storage_[sizeof(TryCatch)];
};

// ---- The platform ----

// The tasks that V8 posts, from any thread, for the thread of one isolate.
class ForegroundTasks : public TaskRunner {
  public:
    void set_notify(void (*notify)(void *), void *data) {
        std::lock_guard<std::mutex> hold(lock_);
        notify_ = notify;
        data_ = data;
    }

    void PostTask(std::unique_ptr<Task> task) override {
        post(std::move(task), 0, false);
    }
    void PostNonNestableTask(std::unique_ptr<Task> task) override {
        post(std::move(task), 0, false);
    }
    void PostDelayedTask(std::unique_ptr<Task> task, double seconds) override {
        post(std::move(task), seconds, false);
    }
    // Only Atomics.waitAsync and short-lived garbage collector work use these: a promise may wait for one.
    void PostNonNestableDelayedTask(std::unique_ptr<Task> task, double seconds) override {
        post(std::move(task), seconds, true);
    }
    void PostIdleTask(std::unique_ptr<IdleTask>) override {}
    bool IdleTasksEnabled() override {
        return false;
    }
    bool NonNestableTasksEnabled() const override {
        return true;
    }
    bool NonNestableDelayedTasksEnabled() const override {
        return true;
    }

    // Moves what is due to the returned list; what those tasks post is for the next call.
    std::deque<std::unique_ptr<Task>> take_due() {
        std::lock_guard<std::mutex> hold(lock_);
        double now = now_seconds();
        while (!delayed_.empty() && delayed_.begin()->first <= now) {
            ready_.push_back(std::move(delayed_.begin()->second.task));
            delayed_.erase(delayed_.begin());
        }
        return std::move(ready_);
    }

    int64_t delay_ns(bool *awaited_out) {
        std::lock_guard<std::mutex> hold(lock_);
        *awaited_out = false;
        if (!ready_.empty()) return 0;
        if (delayed_.empty()) return -1;
        for (const auto &entry : delayed_)
            *awaited_out |= entry.second.awaited;
        double seconds = delayed_.begin()->first - now_seconds();
        return seconds <= 0 ? 0 : static_cast<int64_t>(seconds * 1e9) + 1;
    }

    void clear() {
        std::deque<std::unique_ptr<Task>> ready;
        std::multimap<double, Delayed> delayed;
        std::lock_guard<std::mutex> hold(lock_);
        notify_ = nullptr;
        ready.swap(ready_);
        delayed.swap(delayed_);
    }

  private:
    struct Delayed {
        std::unique_ptr<Task> task;
        bool awaited;
    };

    static double now_seconds() {
        timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
    }

    void post(std::unique_ptr<Task> task, double seconds, bool awaited) {
        std::lock_guard<std::mutex> hold(lock_);
        if (seconds <= 0)
            ready_.push_back(std::move(task));
        else
            delayed_.emplace(now_seconds() + seconds, Delayed{std::move(task), awaited});
        if (notify_) notify_(data_);
    }

    std::mutex lock_; // protects all below
    std::deque<std::unique_ptr<Task>> ready_;
    std::multimap<double, Delayed> delayed_; // by due time
    void (*notify_)(void *) = nullptr;
    void *data_ = nullptr;
};

// Worker tasks and jobs that have not ended, so that a loop with nothing else to do knows that it must still wait.
struct Background {
    std::atomic<int> tasks{0};
    std::mutex lock; // protects jobs
    std::vector<class CountedJob *> jobs;
    bool pending();
};
Background background;

class CountedTask : public Task {
  public:
    explicit CountedTask(std::unique_ptr<Task> task) : task_(std::move(task)) {
        background.tasks++;
    }
    ~CountedTask() override {
        background.tasks--;
    }
    void Run() override {
        task_->Run();
    }

  private:
    std::unique_ptr<Task> task_;
};

class CountedJob : public JobTask {
  public:
    explicit CountedJob(std::unique_ptr<JobTask> job) : job_(std::move(job)) {
        std::lock_guard<std::mutex> hold(background.lock);
        background.jobs.push_back(this);
    }
    ~CountedJob() override {
        std::lock_guard<std::mutex> hold(background.lock);
        background.jobs.erase(std::find(background.jobs.begin(), background.jobs.end(), this));
    }
    void Run(JobDelegate *delegate) override {
        running_++;
        job_->Run(delegate);
        running_--;
    }
    size_t GetMaxConcurrency(size_t workers) const override {
        return job_->GetMaxConcurrency(workers);
    }
    bool pending() const {
        return running_ > 0 || job_->GetMaxConcurrency(0) > 0;
    }

  private:
    std::unique_ptr<JobTask> job_;
    std::atomic<int> running_{0};
};

bool Background::pending() {
    if (tasks > 0) return true;
    std::lock_guard<std::mutex> hold(lock);
    return std::any_of(jobs.begin(), jobs.end(), [](const CountedJob *job) { return job->pending(); });
}

class HostPlatform : public Platform {
  public:
    HostPlatform(int worker_count)
        : worker_count_(worker_count), basics_(platform::NewSingleThreadedDefaultPlatform()) {}

    std::shared_ptr<ForegroundTasks> tasks_of(Isolate *isolate) {
        std::lock_guard<std::mutex> hold(lock_);
        auto &tasks = tasks_[isolate];
        if (!tasks) tasks = std::make_shared<ForegroundTasks>();
        return tasks;
    }
    void forget(Isolate *isolate) {
        std::lock_guard<std::mutex> hold(lock_);
        tasks_.erase(isolate);
    }

    PageAllocator *GetPageAllocator() override {
        return basics_->GetPageAllocator();
    }
    int NumberOfWorkerThreads() override {
        return worker_count_;
    }
    std::shared_ptr<TaskRunner> GetForegroundTaskRunner(Isolate *isolate) override {
        return tasks_of(isolate);
    }
    void CallOnWorkerThread(std::unique_ptr<Task> task) override {
        workers().CallOnWorkerThread(std::make_unique<CountedTask>(std::move(task)));
    }
    void CallDelayedOnWorkerThread(std::unique_ptr<Task> task, double seconds) override {
        workers().CallDelayedOnWorkerThread(std::move(task), seconds);
    }
    std::unique_ptr<JobHandle> PostJob(TaskPriority priority, std::unique_ptr<JobTask> job) override {
        return workers().PostJob(priority, std::make_unique<CountedJob>(std::move(job)));
    }
    double MonotonicallyIncreasingTime() override {
        return basics_->MonotonicallyIncreasingTime();
    }
    double CurrentClockTimeMillis() override {
        return basics_->CurrentClockTimeMillis();
    }
    TracingController *GetTracingController() override {
        return basics_->GetTracingController();
    }

  private:
    // Threads are made when there is something for them to do: a short program does without.
    Platform &workers() {
        std::call_once(begun_, [this] { workers_ = platform::NewDefaultPlatform(worker_count_); });
        return *workers_;
    }

    const int worker_count_;
    std::unique_ptr<Platform> basics_; // all that needs no threads
    std::unique_ptr<Platform> workers_;
    std::once_flag begun_;
    std::mutex lock_; // protects tasks_
    std::map<Isolate *, std::shared_ptr<ForegroundTasks>> tasks_;
};

HostPlatform *host_platform;

// ---- Strings and requests ----

// UTF-8 of a string that is usually short, NUL-terminated.
class Utf8 {
  public:
    Utf8(Isolate *isolate, Local<String> string) : nbytes_(string->Utf8Length(isolate)) {
        data_ = static_cast<size_t>(nbytes_) < sizeof small_ ? small_ : static_cast<char *>(malloc(nbytes_ + 1u));
        if (!data_) abort();
        string->WriteUtf8(isolate, data_, nbytes_, nullptr, String::NO_NULL_TERMINATION | String::REPLACE_INVALID_UTF8);
        data_[nbytes_] = 0;
    }
    ~Utf8() {
        if (data_ != small_) free(data_);
    }
    Utf8(const Utf8 &) = delete;
    void operator=(const Utf8 &) = delete;
    const char *data() const {
        return data_;
    }
    size_t nbytes() const {
        return static_cast<size_t>(nbytes_);
    }

  private:
    int nbytes_;
    char *data_;
    char small_[256];
};

// The value of the assertion `type`, or an empty handle.
Local<String> assertion_type(Isolate *isolate, Local<FixedArray> assertions, int entry_size) {
    Local<Context> context = context_of(isolate);
    Local<String> wanted = name_of(isolate, "type");
    for (int i = 0; i + 1 < assertions->Length(); i += entry_size) {
        Local<Value> key = assertions->Get(context, i).As<Value>();
        Local<Value> value = assertions->Get(context, i + 1).As<Value>();
        if (key->StrictEquals(wanted) && value->IsString()) return value.As<String>();
    }
    return Local<String>();
}

// Calls USE with the request that SPECIFIER and ASSERTIONS make.
template <class Use>
auto with_request(Isolate *isolate, Local<String> specifier, Local<FixedArray> assertions, int entry_size, Use use) {
    Local<String> type = assertion_type(isolate, assertions, entry_size);
    Utf8 specifier_text(isolate, specifier);
    Utf8 type_text(isolate, type.IsEmpty() ? String::Empty(isolate) : type);
    v8s_request request = {specifier_text.data(), specifier_text.nbytes(), type.IsEmpty() ? nullptr : type_text.data(),
                           0, 0};
    return use(&request);
}

v8s_module *record_of(Isolate *isolate, Local<Module> module) {
    auto range = state_of(isolate)->modules.equal_range(module->GetIdentityHash());
    for (auto at = range.first; at != range.second; ++at)
        if (at->second->handle == module) return at->second;
    return nullptr;
}

v8s_module *record_new(Isolate *isolate, Local<Module> module, void *data) {
    auto *record = new v8s_module{Global<Module>(isolate, module), data, nullptr};
    state_of(isolate)->modules.emplace(module->GetIdentityHash(), record);
    return record;
}

Local<Module> module_of(Isolate *isolate, v8s_module *module) {
    return module->handle.Get(isolate);
}

// ---- What V8 calls ----

void on_native(const FunctionCallbackInfo<Value> &info) {
    auto function = reinterpret_cast<v8s_native>(info.Data().As<External>()->Value());
    v8s_value result = function(wrap(info.GetIsolate()), reinterpret_cast<const v8s_arguments *>(&info));
    if (result) info.GetReturnValue().Set(in(result));
}

void on_closure(const FunctionCallbackInfo<Value> &info) {
    Isolate *isolate = info.GetIsolate();
    Local<Value> first = info.Data().As<Array>()->Get(context_of(isolate), 0).ToLocalChecked();
    auto function = reinterpret_cast<v8s_native>(first.As<External>()->Value());
    v8s_value result = function(wrap(isolate), reinterpret_cast<const v8s_arguments *>(&info));
    if (result) info.GetReturnValue().Set(in(result));
}

MaybeLocal<Promise> on_import_dynamic(Local<Context> context, Local<Data>, Local<Value> resource,
                                      Local<String> specifier, Local<FixedArray> assertions) {
    Isolate *isolate = context->GetIsolate();
    const v8s_host &host = state_of(isolate)->host;
    Utf8 referrer(isolate, resource->IsString() ? resource.As<String>() : String::Empty(isolate));
    v8s_value promise =
        with_request(isolate, specifier, assertions, kAssertionEntrySizeDynamic, [&](const v8s_request *request) {
            return host.import_dynamic(host.data, referrer.data(), request);
        });
    if (!promise) return MaybeLocal<Promise>();
    return in<Promise>(promise);
}

void on_import_meta(Local<Context> context, Local<Module> module, Local<Object> meta) {
    Isolate *isolate = context->GetIsolate();
    const v8s_host &host = state_of(isolate)->host;
    if (v8s_module *record = record_of(isolate, module)) host.import_meta(host.data, record->data, out(meta));
}

void on_promise_reject(PromiseRejectMessage message) {
    Local<Promise> promise = message.GetPromise();
    const v8s_host &host = state_of(Isolate::GetCurrent())->host;
    if (message.GetEvent() == kPromiseRejectWithNoHandler)
        host.promise_rejected(host.data, V8S_REJECTED_UNHANDLED, out(promise), out(message.GetValue()));
    else if (message.GetEvent() == kPromiseHandlerAddedAfterReject)
        host.promise_rejected(host.data, V8S_REJECTED_HANDLED, out(promise), nullptr);
}

void on_message(Local<Message> message, Local<Value> error) {
    const v8s_host &host = state_of(Isolate::GetCurrent())->host;
    host.uncaught(host.data, out(error), out(message));
}

bool on_wasm_code(Local<Context> context, Local<String>) {
    State *state = state_of(context->GetIsolate());
    state->used_wasm = true;
    return !state->without_wasm;
}

#if V8S_TELLS_OF_WAITS
void on_atomics_wait(Isolate::AtomicsWaitEvent event, Local<SharedArrayBuffer>, size_t, int64_t, double,
                     Isolate::AtomicsWaitWakeHandle *, void *data) {
    const v8s_host &host = static_cast<State *>(data)->host;
    if (event == Isolate::AtomicsWaitEvent::kStartWait)
        host.wait_begins(host.data);
    else
        host.wait_ended(host.data);
}
#endif

size_t on_heap_limit_near(void *data, size_t limit_bytes, size_t) {
    const v8s_host &host = static_cast<State *>(data)->host;
    return host.heap_limit_near(host.data, limit_bytes);
}

void on_gc_begins(Isolate *, GCType, GCCallbackFlags, void *data) {
    static_cast<State *>(data)->in_gc = true;
}
void on_gc_ended(Isolate *, GCType, GCCallbackFlags, void *data) {
    static_cast<State *>(data)->in_gc = false;
}

MaybeLocal<Module> on_resolve(Local<Context> context, Local<String> specifier, Local<FixedArray> assertions,
                              Local<Module> referrer) {
    Isolate *isolate = context->GetIsolate();
    State *state = state_of(isolate);
    v8s_module *from = record_of(isolate, referrer);
    v8s_module *to = with_request(isolate, specifier, assertions, kAssertionEntrySizeStatic,
                                  [&](const v8s_request *request) { return state->resolve(from->data, request); });
    return module_of(isolate, to);
}

// V8 insists on an exception when this fails, and drops one that reaches a TryCatch with no JavaScript in between: so
// it is caught here and thrown once more. A termination would be dropped too: it is asked for again, and takes hold in
// the next module.
MaybeLocal<Value> on_synthetic_evaluate(Local<Context> context, Local<Module> module) {
    Isolate *isolate = context->GetIsolate();
    v8s_module *record = record_of(isolate, module);
    TryCatch caught(isolate);
    bool done = record->evaluate(wrap(isolate), record, record->data);
    if (!done && !caught.HasTerminated()) {
        caught.ReThrow();
        return MaybeLocal<Value>();
    }
    Local<Promise::Resolver> resolver; // V8 wants a promise here, since modules can be asynchronous
    if (!Promise::Resolver::New(context).ToLocal(&resolver) ||
        resolver->Resolve(context, Undefined(isolate)).IsNothing())
        return MaybeLocal<Value>();
    if (!done) isolate->TerminateExecution();
    return resolver->GetPromise();
}

// Of the process: V8 keeps these two as plain function pointers.
void (*fatal_handler)(const char *, const char *, bool);

void on_fatal(const char *location, const char *message) {
    fatal_handler(location, message, false);
    abort();
}

V8S_OOM_HANDLER(on_out_of_memory) {
    fatal_handler(location, V8S_OOM_IS_HEAP(V8S_OOM_PARAMETER) ? "heap" : "process", true);
    abort();
}

class StaticText : public String::ExternalOneByteStringResource {
  public:
    StaticText(const char *data, size_t nbytes) : data_(data), nbytes_(nbytes) {}
    const char *data() const override {
        return data_;
    }
    size_t length() const override {
        return nbytes_;
    }

  private:
    const char *data_;
    size_t nbytes_;
};

class OwnedText : public StaticText {
  public:
    OwnedText(char *data, size_t nbytes, v8s_dispose dispose, void *hint)
        : StaticText(data, nbytes), owned_(data), nbytes_(nbytes), dispose_(dispose), hint_(hint) {}
    ~OwnedText() override {
        dispose_(owned_, nbytes_, hint_);
    }

  private:
    char *owned_;
    size_t nbytes_;
    v8s_dispose dispose_;
    void *hint_;
};

bool too_long(size_t units) {
    return units > static_cast<size_t>(String::kMaxLength);
}

} // namespace

// ---- The process ----

void v8s_start(const char *flags, int worker_count) {
    // Positions must be there when code is compiled: a recording that starts later needs them (DESIGN.md).
    V8::SetFlagsFromString("--no-enable-lazy-source-positions");
    V8::SetFlagsFromString(kVersionFlags);
    if (flags) V8::SetFlagsFromString(flags);
    host_platform = new HostPlatform(worker_count);
    V8::InitializePlatform(host_platform);
    V8::Initialize();
}

void v8s_stop(void) {
    V8::Dispose();
    V8::DisposePlatform();
    delete host_platform;
    host_platform = nullptr;
}

const char *v8s_version(void) {
    return V8::GetVersion();
}

// ---- Isolates ----

// Room near V8's library makes calls of builtins shorter, which isolates that share them do not gain from; finding it
// means reading all of /proc/self/maps, which takes the longer the more isolates there are: 20 ms, with a thousand. So
// V8's own function (std::vector<MemoryRange> OS::GetFreeMemoryRangesWithin(start, end, size, alignment)) is replaced,
// as functions of libraries can be, by one of the same name, which tells such isolates at once that there is none.
static thread_local bool looks_for_room = true;

extern "C" __attribute__((weak, visibility("default"))) void *
v8s_free_ranges(void *vector_out, uintptr_t start, uintptr_t end, size_t nbytes,
                size_t alignment) __asm__("_ZN2v84base2OS25GetFreeMemoryRangesWithinEmmmm");

extern "C" void *v8s_free_ranges(void *vector_out, uintptr_t start, uintptr_t end, size_t nbytes, size_t alignment) {
    using Find = void *(*)(void *, uintptr_t, uintptr_t, size_t, size_t);
    static const Find find = reinterpret_cast<Find>(dlsym(RTLD_NEXT, "_ZN2v84base2OS25GetFreeMemoryRangesWithinEmmmm"));
    if (looks_for_room && find) return find(vector_out, start, end, nbytes, alignment);
    new (vector_out) std::vector<uintptr_t>(); // an empty one of whatever
    return vector_out;
}

static void share_builtins() {
#if V8S_CAN_SHARE_BUILTINS
    static std::once_flag once;
    std::call_once(once, [] { V8::SetFlagsFromString("--no-short-builtin-calls"); });
#endif
}

v8s_isolate *v8s_isolate_new(const v8s_isolate_options *options) {
    if (options->is_one_of_many) share_builtins();
    auto *state = new State;
    state->host = options->host;
    fatal_handler = options->fatal;

    Isolate::CreateParams parameters;
    parameters.array_buffer_allocator_shared = state->allocator;
    parameters.constraints.ConfigureDefaults(options->memory_bytes, 0);
    if (options->heap_limit_bytes) parameters.constraints.ConfigureDefaultsFromHeapSize(0, options->heap_limit_bytes);
    if (options->buffer_limit_bytes)
        state->allocator->set_limit(options->buffer_limit_bytes, options->host.buffer_limit_reached,
                                    options->host.data);
    state->without_wasm = options->without_wasm;
    parameters.fatal_error_callback = on_fatal;
    parameters.oom_error_callback = on_out_of_memory;

    Isolate *isolate = Isolate::Allocate();
    isolate->SetData(0, state);
    state->tasks = host_platform->tasks_of(isolate);
    state->tasks->set_notify(state->host.work_posted, state->host.data);
    looks_for_room = !options->is_one_of_many;
    Isolate::Initialize(isolate, parameters);
    looks_for_room = true;
    isolate->SetMicrotasksPolicy(MicrotasksPolicy::kExplicit);
    isolate->SetHostImportModuleDynamicallyCallback(on_import_dynamic);
    isolate->SetHostInitializeImportMetaObjectCallback(on_import_meta);
    isolate->SetPromiseRejectCallback(on_promise_reject);
    isolate->AddMessageListener(on_message);
    isolate->SetAllowWasmCodeGenerationCallback(on_wasm_code);
    isolate->AddNearHeapLimitCallback(on_heap_limit_near, state);
    isolate->AddGCPrologueCallback(on_gc_begins, state);
    isolate->AddGCEpilogueCallback(on_gc_ended, state);
#if V8S_TELLS_OF_WAITS
    isolate->SetAtomicsWaitCallback(on_atomics_wait, state);
#endif

    Isolate::Scope entered(isolate);
    HandleScope handles(isolate);
    Local<Context> context = Context::New(isolate);
    state->context.Reset(isolate, context);
    return wrap(isolate);
}

void v8s_isolate_free(v8s_isolate *wrapped) {
    Isolate *isolate = unwrap(wrapped);
    State *state = state_of(isolate);
    state->tasks->set_notify(nullptr, nullptr);
    state->context.Reset();
    state->host_class.Reset();
    state->stack_formatter.Reset();
    state->tasks->clear();
    isolate->Dispose();
    state->tasks->clear();
    host_platform->forget(isolate);
    delete state;
}

void v8s_isolate_abandon(v8s_isolate *isolate) {
    State *state = state_of(unwrap(isolate));
    state->tasks->set_notify(nullptr, nullptr);
    state->tasks->clear();
}

bool v8s_in_gc(v8s_isolate *isolate) {
    return state_of(unwrap(isolate))->in_gc;
}

void *v8s_data(v8s_isolate *isolate) {
    return state_of(unwrap(isolate))->host.data;
}

namespace {
struct Entered {
    Isolate::Scope isolate_scope;
    HandleScope handles;
    Context::Scope context_scope;
    explicit Entered(Isolate *isolate)
        : isolate_scope(isolate), handles(isolate), context_scope(state_of(isolate)->context.Get(isolate)) {}
    // In C's memory: HandleScope forbids the class's own operator new.
    static void *operator new(size_t, void *at) {
        return at;
    }
};
static_assert(sizeof(Entered) <= sizeof(v8s_entered), "v8s_entered holds an Entered");
static_assert(sizeof(HandleScope) <= sizeof(v8s_scope), "v8s_scope holds a HandleScope");
} // namespace

// Without a Locker: to V8 a thread that gives up its Locker has ended, and what was asked of the isolate since (to
// terminate, to run an interrupt, to install optimised code) would be forgotten. Entering and leaving is all that binds
// an isolate to a thread, apart from the stack's limit.
void v8s_enter(v8s_isolate *isolate, uintptr_t stack_limit, v8s_entered *entered) {
    new (entered->words) Entered(unwrap(isolate));
    unwrap(isolate)->SetStackLimit(stack_limit);
}

void v8s_leave(v8s_entered *entered) {
    std::launder(static_cast<Entered *>(static_cast<void *>(entered->words)))->~Entered();
}

void v8s_scope_open(v8s_isolate *isolate, v8s_scope *scope) {
    ::new (scope->words) HandleScope(unwrap(isolate));
}
void v8s_scope_close(v8s_scope *scope) {
    std::launder(static_cast<HandleScope *>(static_cast<void *>(scope->words)))->~HandleScope();
}

void v8s_terminate(v8s_isolate *isolate) {
    state_of(unwrap(isolate))->terminating.store(true);
    unwrap(isolate)->TerminateExecution();
}
void v8s_terminate_cancel(v8s_isolate *isolate) {
    state_of(unwrap(isolate))->terminating.store(false);
    unwrap(isolate)->CancelTerminateExecution();
}

// V8 forgets a termination as soon as the JavaScript that it met has ended, and would run what is called next.
static void terminate_again(Isolate *isolate) {
    if (state_of(isolate)->terminating.load()) isolate->TerminateExecution();
}

void v8s_run_microtasks(v8s_isolate *isolate) {
    terminate_again(unwrap(isolate));
    unwrap(isolate)->PerformMicrotaskCheckpoint();
    // What ran before belongs to nobody now (v8_jit.h has the labels that are kept in it).
    context_of(unwrap(isolate))->SetContinuationPreservedEmbedderData(Undefined(unwrap(isolate)));
}
void v8s_enqueue_microtask(v8s_isolate *isolate, v8s_value function) {
    unwrap(isolate)->EnqueueMicrotask(in<Function>(function));
}

int v8s_pump(v8s_isolate *wrapped) {
    Isolate *isolate = unwrap(wrapped);
    auto due = state_of(isolate)->tasks->take_due();
    for (auto &task : due) {
        HandleScope handles(isolate);
        task->Run();
        task.reset();
    }
    return static_cast<int>(due.size());
}

int64_t v8s_pump_delay_ns(v8s_isolate *isolate, bool *awaited_out) {
    return state_of(unwrap(isolate))->tasks->delay_ns(awaited_out);
}

bool v8s_background_work_pending(v8s_isolate *isolate) {
    return state_of(unwrap(isolate))->used_wasm && background.pending();
}

void v8s_collect_garbage(v8s_isolate *isolate) {
    unwrap(isolate)->MemoryPressureNotification(MemoryPressureLevel::kCritical);
    unwrap(isolate)->MemoryPressureNotification(MemoryPressureLevel::kNone);
}

void v8s_heap_statistics(v8s_isolate *isolate, v8s_heap *heap_out) {
    HeapStatistics heap;
    unwrap(isolate)->GetHeapStatistics(&heap);
    heap_out->total_bytes = heap.total_heap_size();
    heap_out->used_bytes = heap.used_heap_size();
    heap_out->external_bytes = heap.external_memory();
    heap_out->array_buffer_bytes = state_of(unwrap(isolate))->allocator->nbytes();
    heap_out->limit_bytes = heap.heap_size_limit();
}

// ---- Exceptions ----

static char *copy_text(Isolate *isolate, Local<String> string) {
    return v8s_string_copy(wrap(isolate), out(string), nullptr);
}

void v8s_place_of(v8s_isolate *wrapped, v8s_value error, v8s_value message_value, v8s_place *place_out) {
    Isolate *isolate = unwrap(wrapped);
    HandleScope handles(isolate);
    TryCatch ignore(isolate);
    Local<Context> context = context_of(isolate);
    Local<Message> message = message_value ? in<Message>(message_value) : Exception::CreateMessage(isolate, in(error));
    *place_out = {};
    place_out->text = copy_text(isolate, message->Get());
    Local<Value> resource = message->GetScriptResourceName();
    int line = message->GetLineNumber(context).FromMaybe(0);
    if (!resource->IsString() || line <= 0) return;
    place_out->resource = copy_text(isolate, resource.As<String>());
    place_out->line = line;
    place_out->column = message->GetStartColumn(context).FromMaybe(0) + 1;
    place_out->end_column = std::max(message->GetEndColumn(context).FromMaybe(0) + 1, place_out->column);
    Local<String> source_line;
    if (message->GetSourceLine(context).ToLocal(&source_line)) place_out->source_line = copy_text(isolate, source_line);
}

void v8s_place_free(v8s_place *place) {
    free(place->resource);
    free(place->source_line);
    free(place->text);
    *place = {};
}

// What the formatter throws is thrown once more, as in on_synthetic_evaluate.
static MaybeLocal<Value> on_stack_wanted(Local<Context> context, Local<Value> error, Local<Array> sites) {
    Isolate *isolate = context->GetIsolate();
    TryCatch caught(isolate);
    Local<Value> arguments[] = {error, sites};
    Local<Function> format = state_of(isolate)->stack_formatter.Get(isolate);
    MaybeLocal<Value> stack = format->Call(context, Undefined(isolate), 2, arguments);
    if (caught.HasCaught() && !caught.HasTerminated()) caught.ReThrow();
    return stack;
}

void v8s_set_stack_formatter(v8s_isolate *isolate, v8s_value format) {
    state_of(unwrap(isolate))->stack_formatter.Reset(unwrap(isolate), in<Function>(format));
    unwrap(isolate)->SetPrepareStackTraceCallback(on_stack_wanted);
}

v8s_value v8s_error_new(v8s_isolate *isolate, v8s_error_type type, const char *message) {
    Local<String> string = text(unwrap(isolate), message);
    switch (type) {
        case V8S_TYPE_ERROR: return out(Exception::TypeError(string));
        case V8S_RANGE_ERROR: return out(Exception::RangeError(string));
        case V8S_SYNTAX_ERROR: return out(Exception::SyntaxError(string));
        case V8S_ERROR: break;
    }
    return out(Exception::Error(string));
}

void v8s_throw(v8s_isolate *isolate, v8s_value error) {
    unwrap(isolate)->ThrowException(in(error));
}

v8s_value v8s_throw_type_error(v8s_isolate *isolate, const char *format, ...) {
    char message[512];
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    v8s_throw(isolate, v8s_error_new(isolate, V8S_TYPE_ERROR, message));
    return nullptr;
}

// ---- Values ----

v8s_value v8s_undefined(v8s_isolate *isolate) {
    return out(Undefined(unwrap(isolate)));
}
v8s_value v8s_null(v8s_isolate *isolate) {
    return out(Null(unwrap(isolate)));
}
v8s_value v8s_bool(v8s_isolate *isolate, bool value) {
    return out(Boolean::New(unwrap(isolate), value));
}
v8s_value v8s_number(v8s_isolate *isolate, double value) {
    return out(Number::New(unwrap(isolate), value));
}
v8s_value v8s_bigint_u64(v8s_isolate *isolate, uint64_t value) {
    return out(BigInt::NewFromUnsigned(unwrap(isolate), value));
}
v8s_value v8s_string(v8s_isolate *isolate, const char *utf8) {
    return out(text(unwrap(isolate), utf8));
}

v8s_value v8s_string_utf8(v8s_isolate *isolate, const char *utf8, size_t nbytes) {
    if (nbytes > INT32_MAX) return nullptr;
    return out(String::NewFromUtf8(unwrap(isolate), utf8, NewStringType::kNormal, static_cast<int>(nbytes)));
}

v8s_value v8s_string_latin1(v8s_isolate *isolate, const uint8_t *latin1, size_t nbytes) {
    if (too_long(nbytes)) return nullptr;
    return out(String::NewFromOneByte(unwrap(isolate), latin1, NewStringType::kNormal, static_cast<int>(nbytes)));
}

v8s_value v8s_string_utf16(v8s_isolate *isolate, const uint16_t *units, size_t unit_count) {
    if (too_long(unit_count)) return nullptr;
    return out(String::NewFromTwoByte(unwrap(isolate), units, NewStringType::kNormal, static_cast<int>(unit_count)));
}

v8s_value v8s_string_static(v8s_isolate *isolate, const char *ascii, size_t nbytes) {
    return out(String::NewExternalOneByte(unwrap(isolate), new StaticText(ascii, nbytes)));
}

v8s_value v8s_string_adopt(v8s_isolate *isolate, char *ascii, size_t nbytes, v8s_dispose dispose, void *hint) {
    if (too_long(nbytes)) return nullptr;
    return out(String::NewExternalOneByte(unwrap(isolate), new OwnedText(ascii, nbytes, dispose, hint)));
}

static void dispose_by_free(void *bytes, size_t, void *) {
    free(bytes);
}

v8s_value v8s_string_owned(v8s_isolate *isolate, char *ascii, size_t nbytes) {
    v8s_value string = v8s_string_adopt(isolate, ascii, nbytes, dispose_by_free, nullptr);
    if (!string) free(ascii);
    return string;
}

bool v8s_is_nullish(v8s_value value) {
    return in(value)->IsNullOrUndefined();
}
bool v8s_is_string(v8s_value value) {
    return in(value)->IsString();
}
bool v8s_is_number(v8s_value value) {
    return in(value)->IsNumber();
}
bool v8s_is_function(v8s_value value) {
    return in(value)->IsFunction();
}
bool v8s_is_object(v8s_value value) {
    return in(value)->IsObject();
}
bool v8s_is_promise(v8s_value value) {
    return in(value)->IsPromise();
}
bool v8s_is_array(v8s_value value) {
    return in(value)->IsArray();
}
bool v8s_same(v8s_value a, v8s_value b) {
    return in(a)->StrictEquals(in(b));
}

bool v8s_truthy(v8s_isolate *isolate, v8s_value value) {
    return in(value)->BooleanValue(unwrap(isolate));
}
double v8s_number_of(v8s_value value) {
    return in<Number>(value)->Value();
}

size_t v8s_string_length(v8s_value string) {
    return static_cast<size_t>(in<String>(string)->Length());
}
bool v8s_string_is_one_byte(v8s_value string) {
    return in<String>(string)->IsOneByte();
}
size_t v8s_string_utf8_nbytes(v8s_isolate *isolate, v8s_value string) {
    return static_cast<size_t>(in<String>(string)->Utf8Length(unwrap(isolate)));
}

size_t v8s_string_write_latin1(v8s_isolate *isolate, v8s_value string, uint8_t *bytes, size_t start, size_t count) {
    return static_cast<size_t>(in<String>(string)->WriteOneByte(unwrap(isolate), bytes, static_cast<int>(start),
                                                                static_cast<int>(count), String::NO_NULL_TERMINATION));
}

size_t v8s_string_write_utf8(v8s_isolate *isolate, v8s_value string, char *bytes, size_t nbytes, size_t *units_out) {
    int units = 0;
    int written =
        in<String>(string)->WriteUtf8(unwrap(isolate), bytes, static_cast<int>(std::min<size_t>(nbytes, INT32_MAX)),
                                      &units, String::NO_NULL_TERMINATION | String::REPLACE_INVALID_UTF8);
    if (units_out) *units_out = static_cast<size_t>(units);
    return static_cast<size_t>(written);
}

size_t v8s_string_write_utf16(v8s_isolate *isolate, v8s_value string, uint16_t *units, size_t count) {
    return static_cast<size_t>(
        in<String>(string)->Write(unwrap(isolate), units, 0, static_cast<int>(count), String::NO_NULL_TERMINATION));
}

char *v8s_string_copy(v8s_isolate *isolate, v8s_value string, size_t *nbytes_out) {
    size_t nbytes = v8s_string_utf8_nbytes(isolate, string);
    auto *copy = static_cast<char *>(malloc(nbytes + 1));
    if (!copy) return nullptr;
    nbytes = v8s_string_write_utf8(isolate, string, copy, nbytes, nullptr);
    copy[nbytes] = 0;
    if (nbytes_out) *nbytes_out = nbytes;
    return copy;
}

char *v8s_describe(v8s_isolate *wrapped, v8s_value value) {
    Isolate *isolate = unwrap(wrapped);
    HandleScope handles(isolate);
    TryCatch ignore(isolate);
    Local<String> string;
    if (in(value)->IsSymbol() ? in(value)->ToDetailString(context_of(isolate)).ToLocal(&string)
                              : in(value)->ToString(context_of(isolate)).ToLocal(&string))
        return copy_text(isolate, string);
    return strdup("<a value that can't be shown>");
}

// The memory behind a buffer or a view, or nullptr.
static std::shared_ptr<BackingStore> store_of(v8s_value wrapped, uint8_t **bytes_out, size_t *nbytes_out) {
    Local<Value> value = in(wrapped);
    std::shared_ptr<BackingStore> store;
    size_t offset = 0;
    if (value->IsArrayBufferView()) {
        Local<ArrayBufferView> view = value.As<ArrayBufferView>();
        store = view->Buffer()->GetBackingStore();
        offset = view->ByteOffset();
        *nbytes_out = view->ByteLength();
    } else if (value->IsArrayBuffer()) {
        store = value.As<ArrayBuffer>()->GetBackingStore();
        *nbytes_out = store->ByteLength();
    } else if (value->IsSharedArrayBuffer()) {
        store = value.As<SharedArrayBuffer>()->GetBackingStore();
        *nbytes_out = store->ByteLength();
    } else {
        return nullptr;
    }
    *bytes_out = static_cast<uint8_t *>(store->Data()) + offset;
    if (!store->Data()) // of zero length, or detached
        *nbytes_out = 0;
    return store;
}

bool v8s_bytes_of(v8s_value value, uint8_t **bytes_out, size_t *nbytes_out) {
    return store_of(value, bytes_out, nbytes_out) != nullptr; // the value keeps the store alive
}

struct v8s_pin {
    std::shared_ptr<BackingStore> store;
};

v8s_pin *v8s_pin_new(v8s_value value, uint8_t **bytes_out, size_t *nbytes_out) {
    std::shared_ptr<BackingStore> store = store_of(value, bytes_out, nbytes_out);
    return store ? new v8s_pin{std::move(store)} : nullptr;
}

void v8s_pin_free(v8s_pin *pin) {
    delete pin;
}

v8s_value v8s_uint8array_new(v8s_isolate *isolate, size_t nbytes, uint8_t **bytes_out) {
    Local<ArrayBuffer> buffer = ArrayBuffer::New(unwrap(isolate), nbytes);
    *bytes_out = static_cast<uint8_t *>(buffer->GetBackingStore()->Data());
    return out(Uint8Array::New(buffer, 0, nbytes));
}

namespace {
struct Adopted {
    v8s_dispose dispose;
    void *hint;
};

void free_adopted(void *bytes, size_t nbytes, void *data) {
    std::unique_ptr<Adopted> adopted(static_cast<Adopted *>(data));
    CountingAllocator::settle(bytes, nbytes);
    adopted->dispose(bytes, nbytes, adopted->hint);
}

// The memory at BYTES is the isolate's now. Garbage may be all that keeps it from having room for it.
void pay_for(Isolate *isolate, void *bytes, size_t nbytes) {
    CountingAllocator &allocator = *state_of(isolate)->allocator;
    allocator.take(bytes, nbytes);
    if (allocator.is_past_limit()) v8s_collect_garbage(wrap(isolate));
    if (allocator.is_past_limit()) allocator.reach_limit();
}
} // namespace

v8s_value v8s_uint8array_adopt(v8s_isolate *isolate, void *bytes, size_t nbytes, v8s_dispose dispose, void *hint) {
    if (nbytes > TypedArray::kMaxLength) return nullptr;
    auto store = ArrayBuffer::NewBackingStore(bytes, nbytes, free_adopted, new Adopted{dispose, hint});
    pay_for(unwrap(isolate), bytes, nbytes);
    return out(Uint8Array::New(ArrayBuffer::New(unwrap(isolate), std::move(store)), 0, nbytes));
}

v8s_value v8s_object_new(v8s_isolate *isolate) {
    return out(Object::New(unwrap(isolate)));
}

v8s_value v8s_object_new_null_prototype(v8s_isolate *isolate) {
    return out(Object::New(unwrap(isolate), Null(unwrap(isolate)), nullptr, nullptr, 0));
}

v8s_value v8s_array_new(v8s_isolate *isolate, const v8s_value *values, size_t count) {
    std::vector<Local<Value>> locals;
    locals.reserve(count);
    for (size_t i = 0; i < count; i++)
        locals.push_back(in(values[i]));
    return out(Array::New(unwrap(isolate), locals.data(), count));
}

size_t v8s_array_length(v8s_value array) {
    return in<Array>(array)->Length();
}
v8s_value v8s_array_at(v8s_isolate *isolate, v8s_value array, size_t index) {
    return out(in<Object>(array)->Get(context_of(unwrap(isolate)), static_cast<uint32_t>(index)));
}

v8s_value v8s_get(v8s_isolate *wrapped, v8s_value object, const char *name) {
    Isolate *isolate = unwrap(wrapped);
    TryCatch ignore(isolate);
    return out(in<Object>(object)->Get(context_of(isolate), name_of(isolate, name)));
}

v8s_value v8s_get_by(v8s_isolate *wrapped, v8s_value object, v8s_value key) {
    Isolate *isolate = unwrap(wrapped);
    TryCatch ignore(isolate);
    return out(in<Object>(object)->Get(context_of(isolate), in(key)));
}

bool v8s_set(v8s_isolate *wrapped, v8s_value object, const char *name, v8s_value value) {
    Isolate *isolate = unwrap(wrapped);
    TryCatch ignore(isolate);
    return in<Object>(object)
        ->CreateDataProperty(context_of(isolate), name_of(isolate, name), in(value))
        .FromMaybe(false);
}

v8s_value v8s_own_keys(v8s_isolate *isolate, v8s_value object) {
    TryCatch ignore(unwrap(isolate));
    return out(in<Object>(object)->GetOwnPropertyNames(context_of(unwrap(isolate)),
                                                       static_cast<PropertyFilter>(ONLY_ENUMERABLE | SKIP_SYMBOLS),
                                                       KeyConversionMode::kConvertToString));
}

v8s_value v8s_get_private(v8s_isolate *wrapped, v8s_value object, const char *name) {
    Isolate *isolate = unwrap(wrapped);
    return out(in<Object>(object)->GetPrivate(context_of(isolate), Private::ForApi(isolate, name_of(isolate, name))));
}

void v8s_set_private(v8s_isolate *wrapped, v8s_value object, const char *name, v8s_value value) {
    Isolate *isolate = unwrap(wrapped);
    in<Object>(object)
        ->SetPrivate(context_of(isolate), Private::ForApi(isolate, name_of(isolate, name)), in(value))
        .Check();
}

v8s_value v8s_call(v8s_isolate *wrapped, v8s_value function, v8s_value receiver, int argument_count,
                   v8s_value *arguments, v8s_caught *caught) {
    Isolate *isolate = unwrap(wrapped);
    Catcher catcher(isolate, caught);
    if (!function) return nullptr;
    terminate_again(isolate);
    return out(in<Function>(function)->Call(context_of(isolate), in(receiver ? receiver : v8s_undefined(wrapped)),
                                            argument_count, reinterpret_cast<Local<Value> *>(arguments)));
}

v8s_value v8s_deferred_new(v8s_isolate *isolate) {
    return out(Promise::Resolver::New(context_of(unwrap(isolate))));
}
v8s_value v8s_deferred_promise(v8s_value deferred) {
    return out(in<Promise::Resolver>(deferred)->GetPromise());
}
void v8s_deferred_resolve(v8s_isolate *isolate, v8s_value deferred, v8s_value value) {
    (void)in<Promise::Resolver>(deferred)->Resolve(context_of(unwrap(isolate)), in(value)).FromMaybe(false);
}
void v8s_deferred_reject(v8s_isolate *isolate, v8s_value deferred, v8s_value error) {
    (void)in<Promise::Resolver>(deferred)->Reject(context_of(unwrap(isolate)), in(error)).FromMaybe(false);
}

static_assert(int{V8S_PENDING} == Promise::kPending && int{V8S_FULFILLED} == Promise::kFulfilled &&
                  int{V8S_REJECTED} == Promise::kRejected,
              "v8s_promise_state mirrors V8's");
enum v8s_promise_state v8s_promise_state(v8s_value promise) {
    return static_cast<enum v8s_promise_state>(in<Promise>(promise)->State());
}
v8s_value v8s_promise_result(v8s_value promise) {
    return out(in<Promise>(promise)->Result());
}
void v8s_promise_mark_handled(v8s_value promise) {
    in<Promise>(promise)->MarkAsHandled();
}
bool v8s_promise_then(v8s_isolate *isolate, v8s_value promise, v8s_value on_fulfilled, v8s_value on_rejected) {
    return !in<Promise>(promise)
                ->Then(context_of(unwrap(isolate)), in<Function>(on_fulfilled), in<Function>(on_rejected))
                .IsEmpty();
}

v8s_ref *v8s_ref_new(v8s_isolate *isolate, v8s_value value) {
    return new v8s_ref{Global<Data>(unwrap(isolate), in<Data>(value))};
}
v8s_value v8s_ref_get(v8s_isolate *isolate, const v8s_ref *ref) {
    return out(ref->handle.Get(unwrap(isolate)));
}
void v8s_ref_free(v8s_ref *ref) {
    delete ref;
}

// ---- Native functions ----

static const FunctionCallbackInfo<Value> &info_of(const v8s_arguments *arguments) {
    return *reinterpret_cast<const FunctionCallbackInfo<Value> *>(arguments);
}
v8s_value v8s_argument(const v8s_arguments *arguments, int index) {
    return out(info_of(arguments)[index]);
}
v8s_value v8s_argument_data(const v8s_arguments *arguments) {
    const auto &info = info_of(arguments);
    return out(info.Data().As<Array>()->Get(context_of(info.GetIsolate()), 1));
}

v8s_value v8s_function_new(v8s_isolate *wrapped, const char *name, v8s_native native, int parameter_count) {
    Isolate *isolate = unwrap(wrapped);
    Local<External> data = External::New(isolate, reinterpret_cast<void *>(native));
    Local<Function> function =
        Function::New(context_of(isolate), on_native, data, parameter_count, ConstructorBehavior::kThrow)
            .ToLocalChecked();
    function->SetName(name_of(isolate, name));
    return out(function);
}

v8s_value v8s_closure_new(v8s_isolate *wrapped, v8s_native native, v8s_value value) {
    Isolate *isolate = unwrap(wrapped);
    Local<Value> data[] = {External::New(isolate, reinterpret_cast<void *>(native)), in(value)};
    return out(
        Function::New(context_of(isolate), on_closure, Array::New(isolate, data, 2), 0, ConstructorBehavior::kThrow));
}

// ---- Scripts and modules ----

v8s_value v8s_compile_function(v8s_isolate *wrapped, v8s_value source_text, const char *name,
                               const char *const *parameters, size_t parameter_count, const v8s_code *known,
                               v8s_caught *caught) {
    using Cached = ScriptCompiler::CachedData;
    Isolate *isolate = unwrap(wrapped);
    Catcher catcher(isolate, caught);
    ScriptOrigin origin(isolate, text(isolate, name));
    Cached *cached =
        known ? new Cached(known->bytes, static_cast<int>(known->nbytes), Cached::BufferNotOwned) : nullptr;
    ScriptCompiler::Source source(in<String>(source_text), origin, cached); // which it owns
    std::vector<Local<String>> names;
    for (size_t i = 0; i < parameter_count; i++)
        names.push_back(name_of(isolate, parameters[i]));
    return out(ScriptCompiler::CompileFunctionInContext(
        context_of(isolate), &source, names.size(), names.data(), 0, nullptr,
        cached ? ScriptCompiler::kConsumeCodeCache : ScriptCompiler::kNoCompileOptions));
}

v8s_code v8s_code_of(v8s_value function) {
    std::unique_ptr<ScriptCompiler::CachedData> cached(
        ScriptCompiler::CreateCodeCacheForFunction(in<Function>(function)));
    if (!cached) return {nullptr, 0};
    auto *bytes = static_cast<uint8_t *>(malloc(static_cast<size_t>(cached->length)));
    if (!bytes) return {nullptr, 0};
    memcpy(bytes, cached->data, static_cast<size_t>(cached->length));
    return {bytes, static_cast<size_t>(cached->length)};
}

v8s_module *v8s_module_compile(v8s_isolate *wrapped, v8s_value source_text, const char *name, void *data,
                               v8s_caught *caught) {
    Isolate *isolate = unwrap(wrapped);
    Catcher catcher(isolate, caught);
    ScriptOrigin origin(isolate, text(isolate, name), 0, 0, false, -1, Local<Value>(), false, false, true);
    ScriptCompiler::Source source(in<String>(source_text), origin);
    Local<Module> module;
    if (!ScriptCompiler::CompileModule(isolate, &source).ToLocal(&module)) return nullptr;
    return record_new(isolate, module, data);
}

v8s_module *v8s_module_synthetic(v8s_isolate *wrapped, const char *name, const v8s_value *export_names,
                                 size_t export_count, v8s_module_evaluator evaluate, void *data) {
    Isolate *isolate = unwrap(wrapped);
    std::vector<Local<String>> names;
    for (size_t i = 0; i < export_count; i++)
        names.push_back(in<String>(export_names[i]));
    Local<Module> module = Module::CreateSyntheticModule(isolate, text(isolate, name), names, on_synthetic_evaluate);
    v8s_module *record = record_new(isolate, module, data);
    record->evaluate = evaluate;
    return record;
}

bool v8s_module_export(v8s_isolate *isolate, v8s_module *module, v8s_value name, v8s_value value) {
    return module_of(unwrap(isolate), module)
        ->SetSyntheticModuleExport(unwrap(isolate), in<String>(name), in(value))
        .FromMaybe(false);
}

void v8s_module_free(v8s_module *module) {
    delete module;
}

size_t v8s_module_request_count(v8s_isolate *isolate, v8s_module *module) {
    return static_cast<size_t>(module_of(unwrap(isolate), module)->GetModuleRequests()->Length());
}

void v8s_module_requests(v8s_isolate *wrapped, v8s_module *record, v8s_request_visitor visit, void *visit_context) {
    Isolate *isolate = unwrap(wrapped);
    Local<Context> context = context_of(isolate);
    Local<Module> module = module_of(isolate, record);
    Local<FixedArray> requests = module->GetModuleRequests();
    bool more = true;
    for (int i = 0; more && i < requests->Length(); i++) {
        HandleScope handles(isolate);
        Local<ModuleRequest> request = requests->Get(context, i).As<ModuleRequest>();
        Location place = module->SourceOffsetToLocation(request->GetSourceOffset());
        more = with_request(isolate, request->GetSpecifier(), request->GetImportAssertions(), kAssertionEntrySizeStatic,
                            [&](v8s_request *found) {
                                found->line = place.GetLineNumber() + 1;
                                found->column = place.GetColumnNumber() + 1;
                                return visit(visit_context, found);
                            });
    }
}

bool v8s_module_instantiate(v8s_isolate *wrapped, v8s_module *module, v8s_module_resolver resolve, v8s_caught *caught) {
    Isolate *isolate = unwrap(wrapped);
    Catcher catcher(isolate, caught);
    state_of(isolate)->resolve = resolve;
    return module_of(isolate, module)->InstantiateModule(context_of(isolate), on_resolve).FromMaybe(false);
}

v8s_value v8s_module_evaluate(v8s_isolate *wrapped, v8s_module *module, v8s_caught *caught) {
    Isolate *isolate = unwrap(wrapped);
    Catcher catcher(isolate, caught);
    terminate_again(isolate);
    return out(module_of(isolate, module)->Evaluate(context_of(isolate)));
}

v8s_value v8s_module_namespace(v8s_module *module) {
    return out(module->handle.Get(Isolate::GetCurrent())->GetModuleNamespace());
}

static_assert(int{V8S_MODULE_NEW} == Module::kUninstantiated &&
                  int{V8S_MODULE_INSTANTIATING} == Module::kInstantiating &&
                  int{V8S_MODULE_INSTANTIATED} == Module::kInstantiated &&
                  int{V8S_MODULE_EVALUATING} == Module::kEvaluating &&
                  int{V8S_MODULE_EVALUATED} == Module::kEvaluated && int{V8S_MODULE_ERRORED} == Module::kErrored,
              "v8s_module_status mirrors V8's");
enum v8s_module_status v8s_module_status(v8s_isolate *isolate, v8s_module *module) {
    return static_cast<enum v8s_module_status>(module_of(unwrap(isolate), module)->GetStatus());
}

v8s_value v8s_json_parse(v8s_isolate *isolate, v8s_value json, v8s_caught *caught) {
    Catcher catcher(unwrap(isolate), caught);
    return out(JSON::Parse(context_of(unwrap(isolate)), in<String>(json)));
}

// ---- Looking into values ----

v8s_value v8s_own_non_index_properties(v8s_isolate *isolate, v8s_value object, bool only_enumerable) {
    return out(in<Object>(object)->GetPropertyNames(context_of(unwrap(isolate)), KeyCollectionMode::kOwnOnly,
                                                    only_enumerable ? ONLY_ENUMERABLE : ALL_PROPERTIES,
                                                    IndexFilter::kSkipIndices));
}

v8s_value v8s_preview_entries(v8s_isolate *isolate, v8s_value object, bool *is_key_value_out) {
    (void)isolate;
    return out(in<Object>(object)->PreviewEntries(is_key_value_out));
}

v8s_value v8s_proxy_target(v8s_value proxy) {
    return in(proxy)->IsProxy() ? out(in<Proxy>(proxy)->GetTarget()) : nullptr;
}
v8s_value v8s_proxy_handler(v8s_value proxy) {
    return out(in<Proxy>(proxy)->GetHandler());
}
v8s_value v8s_constructor_name(v8s_value object) {
    return out(in<Object>(object)->GetConstructorName());
}

v8s_value v8s_function_location(v8s_isolate *wrapped, v8s_value value) {
    Isolate *isolate = unwrap(wrapped);
    Local<Function> function = in<Function>(value);
    ScriptOrigin origin = function->GetScriptOrigin();
    if (origin.ResourceName().IsEmpty() || !origin.ResourceName()->IsString() || function->GetScriptLineNumber() < 0)
        return nullptr;
    Utf8 resource(isolate, origin.ResourceName().As<String>());
    std::vector<char> place(resource.nbytes() + 32);
    snprintf(place.data(), place.size(), "%s:%d:%d", resource.data(), function->GetScriptLineNumber() + 1,
             function->GetScriptColumnNumber() + 1);
    return out(text(isolate, place.data()));
}

const char *v8s_type_tag(v8s_value wrapped) {
    Local<Value> value = in(wrapped);
    if (!value->IsObject()) return "";
    if (value->IsAsyncFunction() && value->IsGeneratorFunction()) return "AsyncGeneratorFunction";
    static const struct {
        bool (Value::*is)() const;
        const char *tag;
    } kinds[] = {
        {&Value::IsProxy, "Proxy"}, // first: a proxy answers for itself alone
        {&Value::IsAsyncFunction, "AsyncFunction"},
        {&Value::IsGeneratorFunction, "GeneratorFunction"},
        {&Value::IsFunction, "Function"},
        {&Value::IsArray, "Array"},
        {&Value::IsMap, "Map"},
        {&Value::IsSet, "Set"},
        {&Value::IsMapIterator, "MapIterator"},
        {&Value::IsSetIterator, "SetIterator"},
        {&Value::IsWeakMap, "WeakMap"},
        {&Value::IsWeakSet, "WeakSet"},
        {&Value::IsDate, "Date"},
        {&Value::IsRegExp, "RegExp"},
        {&Value::IsPromise, "Promise"},
        {&Value::IsArrayBuffer, "ArrayBuffer"},
        {&Value::IsSharedArrayBuffer, "SharedArrayBuffer"},
        {&Value::IsDataView, "DataView"},
        {&Value::IsUint8Array, "Uint8Array"},
        {&Value::IsUint8ClampedArray, "Uint8ClampedArray"},
        {&Value::IsInt8Array, "Int8Array"},
        {&Value::IsUint16Array, "Uint16Array"},
        {&Value::IsInt16Array, "Int16Array"},
        {&Value::IsUint32Array, "Uint32Array"},
        {&Value::IsInt32Array, "Int32Array"},
        {&Value::IsFloat32Array, "Float32Array"},
        {&Value::IsFloat64Array, "Float64Array"},
        {&Value::IsBigInt64Array, "BigInt64Array"},
        {&Value::IsBigUint64Array, "BigUint64Array"},
        {&Value::IsNativeError, "Error"},
        {&Value::IsNumberObject, "BoxedNumber"},
        {&Value::IsStringObject, "BoxedString"},
        {&Value::IsBooleanObject, "BoxedBoolean"},
        {&Value::IsSymbolObject, "BoxedSymbol"},
        {&Value::IsBigIntObject, "BoxedBigInt"},
        {&Value::IsGeneratorObject, "Generator"},
        {&Value::IsArgumentsObject, "Arguments"},
        {&Value::IsModuleNamespaceObject, "ModuleNamespace"},
        {&Value::IsExternal, "External"},
    };
    for (const auto &kind : kinds)
        if ((*value->*kind.is)()) return kind.tag;
    return "Object";
}

// ---- Host objects ----

v8s_value v8s_host_class(v8s_isolate *wrapped) {
    Isolate *isolate = unwrap(wrapped);
    State *state = state_of(isolate);
    if (state->host_class.IsEmpty()) {
        Local<FunctionTemplate> made = FunctionTemplate::New(isolate);
        made->InstanceTemplate()->SetInternalFieldCount(1);
        state->host_class.Reset(isolate, made);
    }
    return out(state->host_class.Get(isolate)->GetFunction(context_of(isolate)));
}

bool v8s_is_host(v8s_isolate *wrapped, v8s_value value) {
    State *state = state_of(unwrap(wrapped));
    return !state->host_class.IsEmpty() && state->host_class.Get(unwrap(wrapped))->HasInstance(in(value));
}

void *v8s_host_get(v8s_value value) {
    Local<Object> object = in<Object>(value);
    return object->GetInternalField(0)->IsUndefined() ? nullptr : object->GetAlignedPointerFromInternalField(0);
}

void v8s_host_set(v8s_value value, void *pointer) {
    in<Object>(value)->SetAlignedPointerInInternalField(0, pointer);
}

// ---- Messages ----

struct v8s_message {
    uint8_t *bytes = nullptr;
    size_t nbytes = 0;
    std::vector<std::shared_ptr<BackingStore>> moved;  // of transferred array buffers
    std::vector<std::shared_ptr<BackingStore>> shared; // of SharedArrayBuffers
    std::vector<CompiledWasmModule> wasm;
    ~v8s_message() {
        free(bytes);
    }
};

namespace {

class MessageDelegate : public ValueSerializer::Delegate, public ValueDeserializer::Delegate {
  public:
    MessageDelegate(Isolate *isolate, v8s_message *message, const v8s_value *hosts, size_t host_count, v8s_reach reach,
                    v8s_clone_error make_error)
        : isolate_(isolate), message_(message), hosts_(hosts), host_count_(host_count), reach_(reach),
          make_error_(make_error) {}

    ValueSerializer *serializer = nullptr;
    ValueDeserializer *deserializer = nullptr;

    void ThrowDataCloneError(Local<String> text) override {
        if (v8s_value error = make_error_(wrap(isolate_), out(text))) isolate_->ThrowException(in(error));
    }
    Maybe<bool> WriteHostObject(Isolate *isolate, Local<Object> object) override {
        for (size_t i = 0; i < host_count_; i++)
            if (in<Object>(hosts_[i]) == object) {
                serializer->WriteUint32(static_cast<uint32_t>(i));
                return Just(true);
            }
        ThrowDataCloneError(
            text(isolate, "An object of the host that is not in the transfer list could not be cloned."));
        return Just(false); // the pending exception is what counts; Nothing has bytes that GCC says are uninitialized
    }
    MaybeLocal<Object> ReadHostObject(Isolate *) override {
        uint32_t index;
        if (deserializer->ReadUint32(&index) && index < host_count_) return in<Object>(hosts_[index]);
        return MaybeLocal<Object>();
    }
    Maybe<uint32_t> GetSharedArrayBufferId(Isolate *, Local<SharedArrayBuffer> buffer) override {
        if (is_refused("A SharedArrayBuffer can not leave the process.")) return Just(0u);
        auto store = buffer->GetBackingStore();
        for (size_t i = 0; i < message_->shared.size(); i++)
            if (message_->shared[i] == store) return Just(static_cast<uint32_t>(i));
        message_->shared.push_back(std::move(store));
        return Just(static_cast<uint32_t>(message_->shared.size() - 1));
    }
    MaybeLocal<SharedArrayBuffer> GetSharedArrayBufferFromId(Isolate *isolate, uint32_t id) override {
        if (id >= message_->shared.size()) return MaybeLocal<SharedArrayBuffer>();
        return SharedArrayBuffer::New(isolate, message_->shared[id]);
    }
    Maybe<uint32_t> GetWasmModuleTransferId(Isolate *, Local<WasmModuleObject> module) override {
        if (is_refused("A WebAssembly.Module can not leave the process.")) return Just(0u);
        message_->wasm.push_back(module->GetCompiledModule());
        return Just(static_cast<uint32_t>(message_->wasm.size() - 1));
    }
    MaybeLocal<WasmModuleObject> GetWasmModuleFromId(Isolate *isolate, uint32_t id) override {
        if (id >= message_->wasm.size()) return MaybeLocal<WasmModuleObject>();
        return WasmModuleObject::FromCompiledModule(isolate, message_->wasm[id]);
    }

  private:
    // Then what is returned does not matter: the pending exception does.
    bool is_refused(const char *why) {
        if (reach_ == V8S_BEYOND_PROCESS) ThrowDataCloneError(text(isolate_, why));
        return reach_ == V8S_BEYOND_PROCESS;
    }
    Isolate *isolate_;
    v8s_message *message_;
    const v8s_value *hosts_;
    size_t host_count_;
    v8s_reach reach_;
    v8s_clone_error make_error_;
};

// The array buffers of TRANSFER; false with an exception pending when there is something else in it.
bool collect_transfer(Isolate *isolate, ValueSerializer::Delegate *delegate, Local<Value> transfer,
                      std::vector<Local<ArrayBuffer>> *buffers_out) {
    if (!transfer->IsArray()) return true;
    Local<Array> list = transfer.As<Array>();
    for (uint32_t i = 0; i < list->Length(); i++) {
        Local<Value> item;
        if (!list->Get(context_of(isolate), i).ToLocal(&item)) return false;
        const char *problem = nullptr;
        if (!item->IsArrayBuffer())
            problem = "Value could not be transferred: only an ArrayBuffer can be.";
        else if (std::find(buffers_out->begin(), buffers_out->end(), item.As<ArrayBuffer>()) != buffers_out->end())
            problem = "ArrayBuffer occurs in the transfer list twice.";
        else if (!item.As<ArrayBuffer>()->IsDetachable())
            problem = "An ArrayBuffer that can't be detached could not be transferred.";
        if (problem) {
            delegate->ThrowDataCloneError(text(isolate, problem));
            return false;
        }
        buffers_out->push_back(item.As<ArrayBuffer>());
    }
    return true;
}

} // namespace

v8s_message *v8s_message_write(v8s_isolate *wrapped, v8s_value value, v8s_value transfer, const v8s_value *hosts,
                               size_t host_count, v8s_reach reach, v8s_clone_error make_error) {
    Isolate *isolate = unwrap(wrapped);
    auto message = std::make_unique<v8s_message>();
    std::vector<Local<ArrayBuffer>> buffers;
    MessageDelegate delegate(isolate, message.get(), hosts, host_count, reach, make_error);
    if (transfer && !collect_transfer(isolate, &delegate, in(transfer), &buffers)) return nullptr;
    ValueSerializer serializer(isolate, &delegate);
    delegate.serializer = &serializer;
    serializer.WriteHeader();
    for (uint32_t i = 0; i < buffers.size(); i++)
        serializer.TransferArrayBuffer(i, buffers[i]);
    if (serializer.WriteValue(context_of(isolate), in(value)).IsNothing()) return nullptr;
    std::tie(message->bytes, message->nbytes) = serializer.Release();
    for (Local<ArrayBuffer> buffer : buffers) {
        auto store = buffer->GetBackingStore();
        state_of(isolate)->allocator->give(store->Data(), store->ByteLength());
        message->moved.push_back(std::move(store));
        buffer->Detach();
    }
    return message.release();
}

v8s_value v8s_message_read(v8s_isolate *wrapped, v8s_message *message, const v8s_value *hosts, size_t host_count,
                           v8s_caught *caught) {
    Isolate *isolate = unwrap(wrapped);
    Catcher catcher(isolate, caught);
    MessageDelegate delegate(isolate, message, hosts, host_count, V8S_WITHIN_PROCESS, nullptr);
    ValueDeserializer deserializer(isolate, message->bytes, message->nbytes, &delegate);
    delegate.deserializer = &deserializer;
    for (uint32_t i = 0; i < message->moved.size(); i++) {
        auto &store = message->moved[i];
        pay_for(isolate, store->Data(), store->ByteLength());
        deserializer.TransferArrayBuffer(i, ArrayBuffer::New(isolate, std::move(store)));
    }
    message->moved.clear();
    if (!deserializer.ReadHeader(context_of(isolate)).FromMaybe(false)) return nullptr;
    return out(deserializer.ReadValue(context_of(isolate)));
}

size_t v8s_message_nbytes(const v8s_message *message) {
    size_t nbytes = sizeof *message + message->nbytes;
    for (const auto &store : message->moved)
        nbytes += store->ByteLength();
    return nbytes;
}

void v8s_message_free(v8s_message *message) {
    delete message;
}

bool v8s_message_can_leave(const v8s_message *message) {
    return message->shared.empty() && message->wasm.empty();
}

size_t v8s_message_part_count(const v8s_message *message) {
    return 1 + message->moved.size();
}

const uint8_t *v8s_message_part(const v8s_message *message, size_t index, size_t *nbytes_out) {
    *nbytes_out = index == 0 ? message->nbytes : message->moved[index - 1]->ByteLength();
    return index == 0 ? message->bytes : static_cast<const uint8_t *>(message->moved[index - 1]->Data());
}

v8s_message *v8s_message_new(void) {
    return new v8s_message;
}

bool v8s_message_add_part(v8s_message *message, const uint8_t *bytes, size_t nbytes) {
    auto *copy = static_cast<uint8_t *>(malloc(nbytes > 0 ? nbytes : 1));
    if (!copy) return false;
    if (nbytes > 0) memcpy(copy, bytes, nbytes);
    if (!message->bytes) {
        message->bytes = copy;
        message->nbytes = nbytes;
    } else {
        auto *adopted = new Adopted{[](void *data, size_t, void *) { free(data); }, nullptr};
        message->moved.push_back(ArrayBuffer::NewBackingStore(copy, nbytes, free_adopted, adopted));
    }
    return true;
}

v8s_value v8s_structured_clone(v8s_isolate *isolate, v8s_value value, v8s_value transfer, v8s_clone_error make_error) {
    v8s_message *message = v8s_message_write(isolate, value, transfer, nullptr, 0, V8S_WITHIN_PROCESS, make_error);
    v8s_value clone = message ? v8s_message_read(isolate, message, nullptr, 0, nullptr) : nullptr;
    v8s_message_free(message);
    return clone;
}
