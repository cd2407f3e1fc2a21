import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Delegates that are called again and again, in a main-actor module", .watchdog)
struct StreamDelegateTests {
    @Test(arguments: Origin.allCases)
    func `a delegate that is called elsewhere emits into a promise`(origin: Origin) async {
        let monitor = Monitor()
        let sensor = Sensor(delegate: monitor)
        sensor.run(from: origin)
        #expect(await monitor.readings.texts() == ["1", "offline", "2"])
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `its callbacks are on the main actor again`(place: Place, origin: Origin) async {
        let monitor = Monitor()
        monitor.start(Sensor(delegate: monitor), from: origin, on: place.makeContext())
        await until { monitor.isDone }
        #expect(monitor.sum == 3)
        #expect(monitor.lastError == .offline)
    }

    @Test func `a delegate of the main actor counts and emits`() async {
        let field = SearchField()
        let edits = EditLog()
        field.delegate = edits
        for text in ["s", "sw", "swift"] { field.type(text) }
        #expect(edits.count == 3)
        #expect(edits.texts.futures.compactMap { $0.result?.value } == ["sw", "swift"])
    }
}

nonisolated protocol SensorDelegate: AnyObject, Sendable {
    func sensor(_ sensor: Sensor, didMeasure value: Int)
    func sensor(_ sensor: Sensor, didFail error: any Error)
    func sensorDidStop(_ sensor: Sensor)
}

nonisolated final class Sensor: Sendable {
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
    private let promise = StreamPromise<Int>(capacity: 10)
    private(set) var sum = 0
    private(set) var lastError: AppError?
    private(set) var isDone = false

    var readings: FutureStream<Int> { promise.stream }

    func start(_ sensor: Sensor, from origin: Origin, on context: any ExecutionContext) {
        readings.onSuccess(context: context) { value in MainActor.assumeIsolated { self.sum += value } }
        readings.onFailure(context: context) { error in
            MainActor.assumeIsolated { self.lastError = error as? AppError }
        }
        readings.onFinish(context: context) { MainActor.assumeIsolated { self.isDone = true } }
        sensor.run(from: origin)
    }

    nonisolated func sensor(_ sensor: Sensor, didMeasure value: Int) { promise.success(value) }
    nonisolated func sensor(_ sensor: Sensor, didFail error: any Error) { promise.failure(error) }
    nonisolated func sensorDidStop(_ sensor: Sensor) { promise.finish() }
}

/// As in user interfaces: everything is on the main actor.
private protocol SearchFieldDelegate: AnyObject {
    func searchFieldDidChange(_ field: SearchField)
}

private final class SearchField {
    weak var delegate: (any SearchFieldDelegate)?
    private(set) var text = ""

    func type(_ text: String) {
        self.text = text
        delegate?.searchFieldDidChange(self)
    }
}

private final class EditLog: SearchFieldDelegate {
    private let promise = StreamPromise<String>(capacity: 2)
    private(set) var count = 0

    var texts: FutureStream<String> { promise.stream }

    func searchFieldDidChange(_ field: SearchField) {
        count += 1
        promise.success(field.text)
    }
}
