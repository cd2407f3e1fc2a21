import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// Fourteen lines

private final class LocationForwarder: LocationManagerDelegate {
    let emitter: StreamEmitter<Double>
    init(_ emitter: StreamEmitter<Double>) { self.emitter = emitter }
    func manager(_ manager: LocationManager, didUpdate location: Double) { emitter.success(location) }
    func manager(_ manager: LocationManager, didFail error: any Error) { emitter.failure(error) }
}
// swift-format-ignore
@MainActor private func locations(of manager: LocationManager, until closed: CancelToken) -> FutureStream<Double> {
    FutureStream(capacity: 1, cancelToken: closed, isolated: { emitter in
        let forwarder = LocationForwarder(emitter)
        manager.delegate = forwarder
        manager.startUpdating()
        return CancelAction(keeping: forwarder, isolated: { manager.stopUpdating() })
    })
}

@Suite("The delegate of a main-thread API as a stream", .watchdog)
struct LocationManagerTests {
    @Test @MainActor func `a stream emits the delegate's calls, including failures, until its token is canceled`()
        async throws
    {
        let manager = LocationManager()
        let closed = CancelToken()
        let stream = locations(of: manager, until: closed)
        let words = Box<[String]>([])
        stream.onComplete(isolated: { words.append($0.value.map { "\($0)" } ?? "failure") })
        stream.onCancel(isolated: { words.append("closed") })
        await until { manager.isUpdating }
        manager.move(to: 1)
        manager.fail()
        manager.move(to: 2)
        await until { words.value.count == 3 }
        #expect(words.value == ["1.0", "failure", "2.0"])
        closed.cancel()
        manager.move(to: 3)
        await until { !manager.isUpdating && words.value.count == 4 }
        #expect(words.value.last == "closed")
        await until { manager.delegate == nil }
    }

    @Test @MainActor func `dropping the stream releases the delegate and stops the manager`() async {
        let manager = LocationManager()
        var stream: FutureStream? = locations(of: manager, until: .none)
        await until { manager.isUpdating }
        weak let delegate = manager.delegate
        #expect(delegate != nil)
        withExtendedLifetime(stream) {}
        stream = nil
        await until { !manager.isUpdating && delegate == nil }
    }

}

// MARK: The system's API

/// To be used only on the main thread, but without an annotation.
private final class LocationManager {
    weak var delegate: (any LocationManagerDelegate)?
    private(set) var isUpdating = false

    func startUpdating() {
        dispatchPrecondition(condition: .onQueue(.main))
        isUpdating = true
    }

    func stopUpdating() {
        dispatchPrecondition(condition: .onQueue(.main))
        isUpdating = false
    }

    func move(to location: Double) { delegate?.manager(self, didUpdate: location) }
    func fail() { delegate?.manager(self, didFail: Failure()) }
}

private protocol LocationManagerDelegate: AnyObject {
    func manager(_ manager: LocationManager, didUpdate location: Double)
    func manager(_ manager: LocationManager, didFail error: any Error)
}
