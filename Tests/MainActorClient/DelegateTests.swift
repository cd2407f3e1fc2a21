import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// MARK: The app's own delegate: thirteen lines

private final class LocationForwarder: LocationManagerDelegate {
    let emitter: StreamEmitter<Double>
    init(_ emitter: StreamEmitter<Double>) { self.emitter = emitter }
    func manager(_ manager: LocationManager, didUpdate location: Double) { emitter.success(location) }
    func manager(_ manager: LocationManager, didFail error: any Error) { emitter.failure(error) }
}
// swift-format-ignore
private func locations(of manager: LocationManager) -> FutureStream<Double> {
    FutureStream(capacity: 1, isolated: { emitter in
        let forwarder = LocationForwarder(emitter)
        (manager.delegate, manager.isUpdating) = (forwarder, true)
        return CancelAction(keeping: forwarder, isolated: { manager.isUpdating = false })
    })
}

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
    @Test func `the app's own delegate is a stream`() async {
        let manager = LocationManager()
        var stream: FutureStream? = locations(of: manager)
        var sum = 0.0
        stream?.onSuccess(isolated: { sum += $0 })
        await until { manager.isUpdating }
        manager.delegate?.manager(manager, didUpdate: 1)
        manager.delegate?.manager(manager, didFail: AppError.offline)
        manager.delegate?.manager(manager, didUpdate: 2)
        await until { sum == 3 }
        stream?.finish()
        stream = nil
        await until { !manager.isUpdating && manager.delegate == nil }
    }

    @Test func `another module's delegate is a stream, until its subscription ends`() async throws {
        let compass = Compass()
        let stream = headings(of: compass)
        #expect(!compass.isRunning)
        let subscription = stream.subscription()
        await until { compass.isRunning }
        compass.turn(to: 90)
        compass.turn(to: 180)
        var headings: [Double] = []
        for try await heading in subscription {
            headings.append(heading)
            if heading == 180 { break }
        }
        #expect(headings == [90, 180])
        await until { !compass.isRunning && compass.delegate == nil }
    }

    @Test func `canceling the token of a subscription stops the delegate`() async {
        let compass = Compass()
        let token = CancelToken()
        headings(of: compass).onSuccess(cancelToken: token, isolated: { _ in })
        await until { compass.isRunning }
        token.cancel()
        await until { !compass.isRunning && compass.delegate == nil }
    }

    @Test(arguments: ContextKind.ofMainActor, Origin.allCases)
    func `a delegate called on any thread completes promises`(kind: ContextKind, origin: Origin) async throws {
        let (context, monitor) = (kind.makeContext(), Monitor())
        monitor.show(on: context)
        Sensor(delegate: monitor).run(from: origin)
        #expect(try await monitor.first.future.value == 1)
        #expect(await monitor.readings.stream.texts() == ["1", "offline", "2"])
        await until { monitor.model.log.count == 4 }
        #expect(monitor.model.log.filter { $0 != "first" } == ["1", "offline", "2"])
    }
}

private protocol LocationManagerDelegate: AnyObject {
    func manager(_ manager: LocationManager, didUpdate location: Double)
    func manager(_ manager: LocationManager, didFail error: any Error)
}

private final class LocationManager {
    weak var delegate: (any LocationManagerDelegate)?
    var isUpdating = false
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
    func turn(to heading: Double) { delegate?.compass(self, didTurn: heading) }
}

private nonisolated protocol SensorDelegate: AnyObject, Sendable {
    func sensor(_ sensor: Sensor, didMeasure value: Int)
    func sensor(_ sensor: Sensor, didFail error: any Error)
    func sensorDidStop(_ sensor: Sensor)
}

private nonisolated final class Sensor: Sendable {
    private let delegate: any SensorDelegate

    init(delegate: any SensorDelegate) { self.delegate = delegate }

    func run(from origin: Origin) {
        origin.call { [self] in
            delegate.sensor(self, didMeasure: 1)
            delegate.sensor(self, didFail: AppError.offline)
            delegate.sensor(self, didMeasure: 2)
            delegate.sensorDidStop(self)
        }
    }
}

@MainActor private final class Monitor: SensorDelegate {
    let first = Promise<Int>()
    let readings = StreamPromise<Int>(capacity: 10)
    let model = Model()

    func show(on context: any ExecutionContext) {
        first.future.onSuccess(context: context) { _ in MainActor.assumeIsolated { self.model.note("first") } }
        readings.stream.onSuccess(context: context) { value in
            MainActor.assumeIsolated { self.model.note("\(value)") }
        }
        readings.stream.onFailure(context: context) { error in MainActor.assumeIsolated { self.model.fail(error) } }
    }

    nonisolated func sensor(_ sensor: Sensor, didMeasure value: Int) {
        first.trySuccess(value)
        readings.success(value)
    }
    nonisolated func sensor(_ sensor: Sensor, didFail error: any Error) { readings.failure(error) }
    nonisolated func sensorDidStop(_ sensor: Sensor) { readings.finish() }
}
