// Protocols of delegates: `wrap --delegates`.

import SimpleFutures

struct Reading: Sendable {
    var hectopascals = 1013.0
}

protocol BarometerDelegate: AnyObject {
    func barometer(_ barometer: Barometer, didMeasure reading: Reading)
}

/// A draft: the calls of BarometerDelegate as a stream. It replays the newest element to later subscribers.
final class BarometerEvents: BarometerDelegate {
    private let promise = StreamPromise<Reading>(capacity: 1)
    var stream: FutureStream<Reading> { promise.stream }

    func barometer(_ barometer: Barometer, didMeasure reading: Reading) { promise.success(reading) }
}

final class Barometer {
    weak var delegate: (any BarometerDelegate)?
    func measure() { delegate?.barometer(self, didMeasure: Reading()) }
}

protocol DownloadDelegate: AnyObject {
    func downloadDidStart()
    func download(_ download: Download, didReceive bytes: Int, of total: Int?)
    func downloadDidFinish(_ download: Download)
    func download(_ download: Download, shouldRetryAfter attempts: Int) -> Bool
}

/// A draft: the calls of DownloadDelegate as a stream. It replays no elements to later subscribers.
final class DownloadEvents: DownloadDelegate {
    enum Event: Sendable {
        case didStart
        case didReceiveOf(Int, Int?)
        case didFinish
    }

    private let promise = StreamPromise<Event>(capacity: 0)
    var stream: FutureStream<Event> { promise.stream }
    private let shouldRetryAfter: (Download, Int) -> Bool

    init(shouldRetryAfter: @escaping (Download, Int) -> Bool) {
        self.shouldRetryAfter = shouldRetryAfter
    }

    func downloadDidStart() { promise.success(.didStart) }
    func download(_ download: Download, didReceive bytes: Int, of total: Int?) {
        promise.success(.didReceiveOf(bytes, total))
    }
    func downloadDidFinish(_ download: Download) { promise.success(.didFinish) }
    func download(_ download: Download, shouldRetryAfter attempts: Int) -> Bool { shouldRetryAfter(download, attempts) }
}

final class Download {
    weak var delegate: (any DownloadDelegate)?
}

protocol ValveDelegate: AnyObject {
    func open()
    func isOpen() -> Bool
    func limit(_ pressure: Double) -> Double
    func close(after seconds: Int, completion: @escaping (Bool, (any Error)?) -> Void)
}

/// A draft: the calls of ValveDelegate as a stream. It replays no elements to later subscribers.
final class ValveEvents: ValveDelegate {
    private let promise = StreamPromise<Void>(capacity: 0)
    var stream: FutureStream<Void> { promise.stream }
    private let isOpenAnswer: () -> Bool
    private let limitAnswer: (Double) -> Double
    private let close: (Int, @escaping (Bool, (any Error)?) -> Void) -> Void

    init(isOpenAnswer: @escaping () -> Bool, limitAnswer: @escaping (Double) -> Double, close: @escaping (Int, @escaping (Bool, (any Error)?) -> Void) -> Void) {
        self.isOpenAnswer = isOpenAnswer
        self.limitAnswer = limitAnswer
        self.close = close
    }

    func open() { promise.success(()) }
    func isOpen() -> Bool { isOpenAnswer() }
    func limit(_ pressure: Double) -> Double { limitAnswer(pressure) }
    func close(after seconds: Int, completion: @escaping (Bool, (any Error)?) -> Void) { close(seconds, completion) }
}

extension ValveDelegate {
    func close(after seconds: Int) -> Future<Bool> { future { close(after: seconds, completion: $0) } }
}

protocol GateDelegate: AnyObject {
    func gateDidOpen(_ gate: Gate)
    func gate(_ gate: Gate, admits user: String) -> Bool
}

/// A draft: the calls of GateDelegate as a stream. It replays no elements to later subscribers.
final class GateEvents: GateDelegate {
    private let promise = StreamPromise<Void>(capacity: 0)
    var stream: FutureStream<Void> { promise.stream }
    private let gate: (Gate, String) -> Bool

    init(gate: @escaping (Gate, String) -> Bool) {
        self.gate = gate
    }

    func gateDidOpen(_ gate: Gate) { promise.success(()) }
    func gate(_ gate: Gate, admits user: String) -> Bool { self.gate(gate, user) }
}

final class Gate {}

public protocol SensorListener: Sendable {
    func sensorChanged(_ value: Double, at name: String)
}

/// A draft: the calls of SensorListener as a stream. It replays the newest element to later subscribers.
public final class SensorEvents: SensorListener {
    private let promise = StreamPromise<(Double, String)>(capacity: 1)
    public var stream: FutureStream<(Double, String)> { promise.stream }

    public init() {}

    public func sensorChanged(_ value: Double, at name: String) { promise.success((value, name)) }
}

enum Plant {
    #if true
    protocol PumpDelegate: AnyObject {
        func pumpDidStart()
    }

    /// A draft: the calls of PumpDelegate as a stream. It replays no elements to later subscribers.
    final class PumpEvents: PumpDelegate {
        private let promise = StreamPromise<Void>(capacity: 0)
        var stream: FutureStream<Void> { promise.stream }

        func pumpDidStart() { promise.success(()) }
    }
    #endif
}
