import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// MARK: A delegate of another module, not Sendable and not annotated: fourteen lines

private final class CompassForwarder: CompassDelegate {
    let emitter: StreamEmitter<Double>
    init(_ emitter: StreamEmitter<Double>) { self.emitter = emitter }
    func compass(_ compass: Compass, didTurn heading: Double) { emitter.success(heading) }
    func compass(_ compass: Compass, didFail error: any Error) { emitter.failure(error) }
}
// swift-format-ignore
private func headings(of compass: Compass) -> FutureStream<Double> {
    FutureStream(capacity: 0, isolated: { emitter in
        let forwarder = CompassForwarder(emitter)
        compass.delegate = forwarder
        compass.start()
        return CancelAction(keeping: forwarder, isolated: { compass.stop() })
    })
}

@Suite("Delegates in a main-actor module", .watchdog)
struct DelegateTests {
    @Test(arguments: [true, false])
    func `another module's delegate is a stream, until its subscription or token ends`(isToken: Bool) async throws {
        let (compass, token) = (Compass(), CancelToken())
        let stream = headings(of: compass)
        #expect(!compass.isRunning)
        if isToken {
            stream.onSuccess(cancelToken: token, isolated: { _ in })
            await until { compass.isRunning }
            token.cancel()
        } else {
            let subscription = stream.subscription()
            await until { compass.isRunning }
            for heading in [90.0, 180] { compass.delegate?.compass(compass, didTurn: heading) }
            var headings: [Double] = []
            for try await heading in subscription {
                headings.append(heading)
                if heading == 180 { break }
            }
            #expect(headings == [90, 180])
        }
        await until { !compass.isRunning && compass.delegate == nil }
    }
}

private nonisolated protocol CompassDelegate: AnyObject {
    func compass(_ compass: Compass, didTurn heading: Double)
    func compass(_ compass: Compass, didFail error: any Error)
}

private nonisolated final class Compass {
    weak var delegate: (any CompassDelegate)?
    private(set) var isRunning = false

    func start() { isRunning = true }
    func stop() { isRunning = false }
}
