import Foundation
import SimpleFutures

struct Acceleration {
    var x = 0.0
    var y = 0.0
    var z = 0.0
}

class AccelerometerData {
    let acceleration: Acceleration

    init(_ acceleration: Acceleration) { self.acceleration = acceleration }
}

/// A device's sensor, which calls its handler repeatedly on a queue.
class MotionManager {
    var accelerometerUpdateInterval: TimeInterval = 0
    var isAccelerometerAvailable = true
    private var queue: OperationQueue?
    private var handler: ((AccelerometerData?, Error?) -> Void)?

    var isAccelerometerActive: Bool { return handler != nil }

    func startAccelerometerUpdates(
        to queue: OperationQueue, withHandler handler: @escaping (AccelerometerData?, Error?) -> Void
    ) {
        self.queue = queue
        self.handler = handler
    }

    func stopAccelerometerUpdates() {
        queue = nil
        handler = nil
    }

    func move(_ data: AccelerometerData?, _ error: Error?) {
        guard let handler = handler else { return }
        queue?.addOperation { handler(data, error) }
    }
}

/// The sensor with a stream, after the example in the documentation.
class Accelerometer {
    var motionManager = MotionManager()
    let queue = OperationQueue.main
    let accelerationDataPromise = StreamPromise<Acceleration>(capacity: 10)

    var updatePeriod: TimeInterval {
        get {
            return motionManager.accelerometerUpdateInterval
        }
        set {
            motionManager.accelerometerUpdateInterval = newValue
        }
    }

    var accelerometerActive: Bool { return motionManager.isAccelerometerActive }

    init() { motionManager.accelerometerUpdateInterval = 1.0 }

    func startAcceleromterUpdates() -> FutureStream<Acceleration> {
        motionManager.startAccelerometerUpdates(to: queue) { [unowned self] (data: AccelerometerData?, error: Error?) in
            if let error = error {
                self.accelerationDataPromise.failure(error)
            } else {
                if let data = data {
                    self.accelerationDataPromise.success(data.acceleration)
                }
            }
        }
        return accelerationDataPromise.stream
    }

    func stopAccelerometerUpdates() { motionManager.stopAccelerometerUpdates() }
}

/// Counts accelerations that are strong enough for a step.
///
/// It does not use the default context.
class StepCounter {
    let accelerometer: Accelerometer
    var steps = 0
    var lastError: Error?

    init(_ accelerometer: Accelerometer) { self.accelerometer = accelerometer }

    func start(_ done: @escaping () -> Void) {
        let accelrometerDataFuture = accelerometer.startAcceleromterUpdates()
        accelrometerDataFuture.onSuccess { data in
            if data.z > 1 { self.steps += 1 }
        }
        accelrometerDataFuture.onFailure { [weak self] error in
            self?.lastError = error
            done()
        }
    }
}

/// The value of a location manager of that time: an object.
class Location: NSObject {
    let city: String
    var accuracy = 0

    init(_ city: String) { self.city = city }
}

protocol LocationManagerDelegate: AnyObject {
    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location])
    func locationManager(_ manager: LocationManager, didFailWithError error: Error)
    func locationManager(_ manager: LocationManager, didChangeAuthorization isAuthorized: Bool)
}

class LocationManager: NSObject {
    weak var delegate: LocationManagerDelegate?
    private(set) var isUpdating = false

    func requestAuthorization() {}

    func startUpdatingLocation() { isUpdating = true }

    func stopUpdatingLocation() { isUpdating = false }
}

/// Turns the delegate's calls into a future for the permission and a stream of locations.
class Tracker: NSObject, LocationManagerDelegate {
    let manager = LocationManager()
    private var locationPromise = StreamPromise<[Location]>()
    private var authorizationPromise = Promise<Void>()
    private(set) var visited = [Location]()

    override init() {
        super.init()
        manager.delegate = self
    }

    func authorize() -> Future<Void> {
        authorizationPromise = Promise<Void>()
        manager.requestAuthorization()
        return authorizationPromise.future
    }

    func startUpdatingLocation(capacity: Int = Int.max, context: ExecutionContext) -> FutureStream<[Location]> {
        locationPromise = StreamPromise<[Location]>(capacity: capacity)
        let stream = locationPromise.stream
        stream.onSuccess(context: context) { [unowned self] locations in
            self.visited += locations
        }
        return authorize().flatMap(capacity: capacity, context: context) { [unowned self] in
            self.manager.startUpdatingLocation()
            return stream
        }
    }

    func stopUpdatingLocation() {
        manager.stopUpdatingLocation()
        locationPromise = StreamPromise<[Location]>()
    }

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
        locationPromise.success(locations)
    }

    func locationManager(_ manager: LocationManager, didFailWithError error: Error) {
        locationPromise.failure(error)
    }

    func locationManager(_ manager: LocationManager, didChangeAuthorization isAuthorized: Bool) {
        if isAuthorized {
            authorizationPromise.success(())
        } else {
            authorizationPromise.failure(WeatherError.offline)
        }
    }
}
