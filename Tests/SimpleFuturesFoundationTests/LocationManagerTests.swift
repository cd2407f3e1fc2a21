import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// MARK: Of the main thread: fourteen lines

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

// MARK: Of any thread: fourteen lines

private final class PressureForwarder: PressureMeterDelegate {
    let emitter: StreamEmitter<Double>
    init(_ emitter: StreamEmitter<Double>) { self.emitter = emitter }
    func meter(_ meter: PressureMeter, didMeasure pressure: Double) { emitter.success(pressure) }
    func meter(_ meter: PressureMeter, didFail error: any Error) { emitter.failure(error) }
}
private func pressures(of meter: PressureMeter, until closed: CancelToken) -> FutureStream<Double> {
    FutureStream(capacity: 1, cancelToken: closed) { emitter in
        let forwarder = PressureForwarder(emitter)
        meter.delegate = forwarder
        meter.start()
        return CancelAction(keeping: forwarder) { meter.stop() }
    }
}

@Suite("A delegate of the user's own as a stream", .watchdog)
struct LocationManagerTests {
    @Test @MainActor func `what a main-thread delegate gets comes as elements, failures included`() async throws {
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

    @Test @MainActor func `a main-thread delegate is released when its stream is dropped, and the manager stopped`()
        async
    {
        let manager = LocationManager()
        var stream: FutureStream? = locations(of: manager, until: .none)
        await until { manager.isUpdating }
        weak let delegate = manager.delegate
        #expect(delegate != nil)
        withExtendedLifetime(stream) {}
        stream = nil
        await until { !manager.isUpdating }
        await until { delegate == nil }
    }

    @Test @MainActor func `a loop over a main-thread delegate stops the manager as it ends`() async throws {
        let manager = LocationManager()
        let stream = locations(of: manager, until: .none)
        await until { manager.isUpdating }
        manager.move(to: 4)
        for try await location in stream.values {
            #expect(location == 4)
            break
        }
        await until { !manager.isUpdating }
    }

    @Test func `what a delegate of any thread gets comes as elements`() {
        let meter = PressureMeter()
        let closed = CancelToken()
        let stream = pressures(of: meter, until: closed)
        let words = Box<[String]>([])
        stream.onComplete(context: ImmediateContext()) { words.append($0.value.map { "\($0)" } ?? "failure") }
        meter.measure(1)
        meter.fail()
        meter.measure(2)
        closed.cancel()
        meter.measure(3)
        #expect(words.value == ["1.0", "failure", "2.0"])
        #expect(!meter.isRunning && meter.delegate == nil)
    }

    @Test func `a delegate of any thread is released when its stream is dropped`() {
        let meter = PressureMeter()
        for _ in 0..<3 {
            var stream: FutureStream? = pressures(of: meter, until: .none)
            #expect(meter.isRunning && meter.delegate != nil)
            withExtendedLifetime(stream) {}
            stream = nil
            #expect(!meter.isRunning && meter.delegate == nil)
        }
    }
}

// MARK: What the system has

/// Not to be used but on the main thread, and not marked so.
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

/// To be used on any thread.
private final class PressureMeter: Sendable {
    private struct State {
        weak var delegate: (any PressureMeterDelegate)?
        var isRunning = false
    }

    private let state = Box(State())

    var delegate: (any PressureMeterDelegate)? {
        get { state.value.delegate }
        set { state.change { $0.delegate = newValue } }
    }

    var isRunning: Bool { state.value.isRunning }

    func start() { state.change { $0.isRunning = true } }
    func stop() { state.change { $0.isRunning = false } }
    func measure(_ pressure: Double) { delegate?.meter(self, didMeasure: pressure) }
    func fail() { delegate?.meter(self, didFail: Failure()) }
}

private protocol PressureMeterDelegate: AnyObject, Sendable {
    func meter(_ meter: PressureMeter, didMeasure pressure: Double)
    func meter(_ meter: PressureMeter, didFail error: any Error)
}
