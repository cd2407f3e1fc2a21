import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("The end of a stream with a source", .watchdog)
struct StreamSourceEndTests {
    private let faucet = Faucet()
    private let heard = Box<[String]>([])

    // MARK: By the source

    @Test func `finish delivers what was emitted, ends the stream, and cancels the handle, once`() {
        let stream = faucet.stream()
        let queue = ManualContext()
        stream.onSuccess(context: queue) { [heard] number in heard.change { $0.append("\(number)") } }
        stream.onFinish(context: queue) { [heard] in heard.change { $0.append("finish") } }
        faucet.emit(1, 2)
        let emitter = faucet.emitter.value
        emitter?.finish()
        #expect(stream.isFinished)
        #expect(faucet.news() == ["start", "stop"])
        emitter?.finish()
        queue.run()
        #expect(heard.value == ["1", "2", "finish"])
        // Whoever comes now has the end.
        stream.words(to: heard)
        #expect(heard.value == ["1", "2", "finish", "finish"])
        #expect(faucet.news() == [])
    }

    @Test func `a released emitter finishes the stream, and the handle is cancelled`() {
        let stream = faucet.stream()
        stream.words(to: heard)
        faucet.emit(1)
        faucet.emitter.value = nil
        #expect(heard.value == ["1", "finish"])
        #expect(faucet.news() == ["start", "stop"])
    }

    @Test func `an emitter that nobody keeps finishes the stream`() {
        let stops = Tally()
        let stream = FutureStream<Int>(capacity: 0) { emitter in
            emitter.success(1)
            return CancelAction { stops.add() }
        }
        stream.words(to: heard)
        #expect(heard.value == ["1", "finish"])
        #expect(stops.count == 1)
    }

    @Test func `a source that finishes while it is being started is stopped all the same`() {
        let stream = faucet.stream(onStart: {
            $0.success(1)
            $0.finish()
            #expect(self.faucet.log.value == ["start"])
        })
        stream.words(to: heard)
        #expect(heard.value == ["1", "finish"])
        #expect(faucet.news() == ["start", "stop"])
    }

    @Test(arguments: [0, 3]) func `what the start throws is a failure, and the end`(_ capacity: Int) {
        let starts = Tally()
        // Released, it would be the end anyway.
        let kept = Box<StreamEmitter<Int>?>(nil)
        let stream = FutureStream<Int>(capacity: capacity) { emitter -> CancelAction? in
            starts.add()
            kept.value = emitter
            emitter.success(1)
            throw Failure()
        }
        stream.words(to: heard)
        #expect(heard.value == ["1", "failure", "finish"])
        stream.onSuccess(context: ImmediateContext()) { _ in }
        #expect(starts.count == 1)
    }

    @Test func `a throw after the own finish is no second end`() {
        let stream = FutureStream<Int>(capacity: 0) { emitter -> CancelAction? in
            emitter.finish()
            throw Failure()
        }
        stream.words(to: heard)
        #expect(heard.value == ["finish"])
    }

    @Test func `a source without a handle just is not stopped by one`() {
        let kept = Box<StreamEmitter<Int>?>(nil)
        let starts = Tally()
        let stream = FutureStream<Int>(capacity: 0) { emitter -> CancelAction? in
            starts.add()
            kept.value = emitter
            return nil
        }
        Listening.success.begin(on: stream)()
        stream.words(to: heard)
        #expect(starts.count == 2)
        kept.value?.success(1)
        #expect(heard.value == ["1"])
        stream.finish()
    }

    @Test func `what somebody else ends ends the source`() {
        let stream = faucet.stream()
        stream.words(to: heard)
        let emitter = faucet.emitter.value
        stream.finish()
        #expect(faucet.news() == ["start", "stop"])
        emitter?.success(1)
        #expect(heard.value == ["finish"])
    }

    // MARK: Reports

    @Test func `what is emitted after the own finish is reported, what comes late after a stop is not`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let reports = Box<[FuturesDiagnostic]>([])
            FuturesDiagnostics.handler = { report in reports.change { $0.append(report) } }
            let kept = Box<[StreamEmitter<Int>]>([])
            let token = CancelToken()
            let stream = FutureStream<Int>(capacity: 0) { emitter -> CancelAction? in
                kept.change { $0.append(emitter) }
                return nil
            }
            stream.onSuccess(context: ImmediateContext(), cancelToken: token) { _ in }
            token.cancel()
            kept.value[0].success(1)
            stream.onSuccess(context: ImmediateContext()) { _ in }
            guard reports.value == [] else { _exit(1) }
            kept.value[1].finish()
            guard reports.value == [] else { _exit(2) }
            kept.value[0].success(1)
            guard reports.value == [] else { _exit(3) }
            kept.value[1].success(1)
            kept.value[1].failure(Failure())
            let sites = reports.value.compactMap { report -> CreationSite? in
                guard case .emittedAfterFinish(let site) = report else { return nil }
                return site
            }
            let areHere = sites.allSatisfy { $0.fileID.hasSuffix("StreamSourceEndTests.swift") }
            _exit(sites.count == 2 && areHere ? 7 : 4)
        }
    }

    @Test func `nothing is reported of a stream that was cancelled or dropped`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            FuturesDiagnostics.handler = { _ in _exit(1) }
            let kept = Box<StreamEmitter<Int>?>(nil)
            let token = CancelToken()
            for cancels in [true, false] {
                var stream: FutureStream<Int>? = FutureStream(capacity: 1, cancelToken: token) {
                    kept.value = $0
                    return CancelAction {}
                }
                withExtendedLifetime(stream) {}
                if cancels { token.cancel() }
                stream = nil
                kept.value?.success(1)
                kept.value = nil
            }
            _exit(7)
        }
    }
}
