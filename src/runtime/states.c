/* states.c: see states.h.
 *
 * A row for each place where V8 begins to do what the program didn't ask for by name: on the program's thread between
 * the JavaScript that caused it and V8's functions, on V8's own threads at the bottom of what a job does. Functions
 * that are only called below one of these have no row, or a state would be shown again and again. */
#include "runtime/states.h"

const struct fino_sampler_frame_state rt_states[] = {
    /* Collections, and "[gc]" around them: for what comes before and after, as stopping other threads. */
    {"v8::internal::Heap::CollectGarbage(", "[gc]"},
    {"v8::internal::Heap::Scavenge(", "[gc] scavenge"},
    {"v8::internal::Heap::EvacuateYoungGeneration(", "[gc] scavenge"},
    {"v8::internal::ScavengerCollector::JobTask::Run(", "[gc] scavenge"},
    {"v8::internal::Heap::MarkCompact(", "[gc] mark-compact"},
    {"v8::internal::PageEvacuationJob::Run(", "[gc] mark-compact"},
    {"v8::internal::PointersUpdatingJob::Run(", "[gc] mark-compact"},
    {"v8::internal::Heap::MinorMarkCompact(", "[gc] minor mark-compact"},
    {"v8::internal::YoungGenerationMarkingJob::Run(", "[gc] minor mark-compact"},
    /* Between collections. */
    {"v8::internal::Heap::StartIncrementalMarking(", "[gc] incremental marking"},
    {"v8::internal::IncrementalMarking::Step(", "[gc] incremental marking"},
    {"v8::internal::Heap::FinalizeIncrementalMarkingIncrementally(", "[gc] incremental marking"},
    {"v8::internal::ConcurrentMarking::JobTask::Run(", "[gc] concurrent marking"},
    {"v8::internal::Sweeper::ParallelSweepSpace(", "[gc] sweep"},
    {"v8::internal::Sweeper::EnsurePageIsSwept(", "[gc] sweep"},
    {"v8::internal::Sweeper::EnsureCompleted(", "[gc] sweep"},
    {"v8::internal::Sweeper::SweeperJob::Run(", "[gc] sweep"},
    {"v8::internal::Sweeper::*Task::RunInternal(", "[gc] sweep"},
    {"v8::internal::ArrayBufferSweeper::SweepingJob::Sweep(", "[gc] sweep"},
    {"v8::internal::ArrayBufferSweeper::EnsureFinished(", "[gc] sweep"},
    {"v8::internal::MemoryAllocator::Unmapper::UnmapFreeMemoryJob::Run(", "[gc] unmap"},
    {"v8::internal::MemoryAllocator::Unmapper::FreeQueuedChunks(", "[gc] unmap"},
    /* Code. */
    {"v8::internal::parsing::Parse", "[parse]"},
    {"v8::internal::Parser::ParseOnBackground(", "[parse]"},
    {"v8::internal::Compiler::CompileOptimized", "[compile] optimise"},
    {"v8::internal::OptimizedCompilationJob::ExecuteJob(", "[compile] optimise"},
    {"v8::internal::OptimizingCompileDispatcher::InstallOptimizedFunctions(", "[compile] optimise"},
    {"v8::internal::Compiler::CompileMaglev", "[compile] optimise"},
    {"v8::internal::Compiler::CompileSharedWithBaseline(", "[compile] baseline"},
    {"v8::internal::baseline::ConcurrentBaselineCompiler::JobDispatcher::Run(", "[compile] baseline"},
    {"v8::internal::baseline::BaselineBatchCompiler::InstallBatch(", "[compile] baseline"},
    {"v8::internal::Compiler::Compile(", "[compile]"},
    {"v8::internal::Compiler::CollectSourcePositions(", "[compile]"},
    {"v8::internal::Compiler::GetSharedFunctionInfoFor", "[compile]"},
    {"v8::internal::Compiler::GetFunctionFromEval(", "[compile]"},
    {"v8::internal::Compiler::GetWrappedFunction(", "[compile]"},
    {"v8::internal::LazyCompileDispatcher::JobTask::Run(", "[compile]"},
    {"v8::internal::BackgroundCompileTask::Run(", "[compile]"},
    {"v8::internal::RegExp::Compile(", "[compile] regexp"},
    {"v8::internal::RegExpImpl::CompileIrregexp(", "[compile] regexp"},
    {"v8::internal::ExperimentalRegExp::Compile(", "[compile] regexp"},
    {"v8::internal::wasm::DecodeWasmModule(", "[compile] wasm"},
    {"v8::internal::wasm::CompileToNativeModule(", "[compile] wasm"},
    {"v8::internal::wasm::CompileLazy(", "[compile] wasm"},
    {"v8::internal::wasm::WasmCompilationUnit::ExecuteCompilation(", "[compile] wasm"},
    {"v8::internal::wasm::JSToWasmWrapperCompilationUnit::Execute(", "[compile] wasm"},
    {"v8::internal::wasm::AsyncCompileJob::CompileTask::RunInternal(", "[compile] wasm"},
    {"v8::internal::wasm::DeserializeCodeTask::Run(", "[compile] wasm"},
    /* Inline caches that learn, and optimised code that turns out to be wrong. */
    {"v8::internal::Runtime_*IC*_Miss(", "[ic]"},
    {"v8::internal::Deoptimizer::New(", "[deoptimise]"},
    {"v8::internal::Deoptimizer::ComputeOutputFrames(", "[deoptimise]"},
    {"v8::internal::Runtime_NotifyDeoptimized(", "[deoptimise]"},
    {"v8::internal::Deoptimizer::DeoptimizeMarkedCode(", "[deoptimise]"},
    {"v8::internal::Deoptimizer::DeoptimizeAll(", "[deoptimise]"},
};
const size_t rt_state_count = sizeof rt_states / sizeof *rt_states;
