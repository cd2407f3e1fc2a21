import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// Futures and streams that tell nothing but that something has happened.
@Suite("Closures without a parameter", .watchdog)
struct EventTests {
    final class Screen {
        var count = 0
        func refresh() async { count += 1 }

        func follow(_ saved: Future<Void>, _ taps: FutureStream<Void>) -> [Future<Void>] {
            [
                saved.asyncMap { self.count += 1 },
                saved.asyncMap { await self.refresh() },
                saved.asyncFlatMap { Future { await self.refresh() } },
                saved.asyncForEach { self.count += 1 },
                saved.asyncForEach { _ in self.count += 1 },
                taps.asyncForEach { self.count += 10 },
                taps.asyncForEach { _ in await self.refresh() },
            ]
        }

        func counts(_ taps: FutureStream<Void>) -> FutureStream<Int> {
            taps.asyncMap {
                self.count += 1
                return self.count
            }
        }

        func later(_ taps: FutureStream<Void>) -> FutureStream<Int> {
            taps.asyncFlatMap { Future { self.count } }
        }
    }

    @Test func `they belong to the main actor as others do`() async {
        let screen = Screen()
        let saved = Future<Void>()
        let taps = FutureStream<Void>()
        let ends = screen.follow(saved, taps)
        taps.success()
        taps.success()
        taps.finish()
        saved.success()
        for end in ends { #expect(await end.outcome.isSuccess()) }
        #expect(screen.count == 5 + 20 + 2)
        #expect(await screen.counts(taps).values() == [28, 29])
        #expect(await screen.later(taps).values() == [29, 29])
    }

    @Test func `failures pass them by`() async {
        let failed = Future<Void>(error: AppError.offline)
        #expect(await failed.asyncMap { Issue.record("runs") }.outcome.error as? AppError == .offline)
        #expect(await failed.asyncForEach { _ = Issue.record("runs") }.outcome.error as? AppError == .offline)
    }
}
