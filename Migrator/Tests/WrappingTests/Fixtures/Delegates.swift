// Protocols of delegates: `wrap --delegates`.

struct Reading: Sendable {
    var hectopascals = 1013.0
}

protocol BarometerDelegate: AnyObject {
    func barometer(_ barometer: Barometer, didMeasure reading: Reading)
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

final class Download {
    weak var delegate: (any DownloadDelegate)?
}

protocol ValveDelegate: AnyObject {
    func open()
    func isOpen() -> Bool
    func limit(_ pressure: Double) -> Double
    func close(after seconds: Int, completion: @escaping (Bool, (any Error)?) -> Void)
}

protocol GateDelegate: AnyObject {
    func gateDidOpen(_ gate: Gate)
    func gate(_ gate: Gate, admits user: String) -> Bool
}

final class Gate {}

public protocol SensorListener: Sendable {
    func sensorChanged(_ value: Double, at name: String)
}

enum Plant {
    #if true
    protocol PumpDelegate: AnyObject {
        func pumpDidStart()
    }
    #endif
}
