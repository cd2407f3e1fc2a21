import Foundation
import SimpleFutures

/// What a location manager of the time hands out: an object.
class Location: NSObject {
    let city: String
    var accuracy = 0

    init(_ city: String) {
        self.city = city
    }
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

    func startUpdatingLocation() {
        isUpdating = true
    }

    func stopUpdatingLocation() {
        isUpdating = false
    }
}

/// The delegate's calls, turned into a future for the permission and a stream of what follows.
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
