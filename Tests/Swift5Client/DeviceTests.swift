import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: a sensor", .watchdog)
struct AccelerometerTests {
    // On the main actor, like the callbacks of the default context, because their state has no lock.
    @MainActor @Test func `its updates are a stream that keeps the newest ten`() async {
        let accelerometer = Accelerometer()
        accelerometer.updatePeriod = 0.5
        #expect(accelerometer.motionManager.accelerometerUpdateInterval == 0.5)
        let counter = StepCounter(accelerometer)
        // The counter's callbacks hold it, and with it the sensor, until the stream ends.
        defer { accelerometer.accelerationDataPromise.finish() }
        await withCheckedContinuation { done in
            counter.start { done.resume() }
            #expect(accelerometer.accelerometerActive)
            for z in 0..<12 {
                accelerometer.motionManager.move(AccelerometerData(Acceleration(z: Double(z % 3))), nil)
            }
            accelerometer.motionManager.move(nil, nil)
            accelerometer.motionManager.move(nil, WeatherError.offline)
        }
        #expect(counter.steps == 4)
        #expect(counter.lastError as? WeatherError == .offline)
        let stream = accelerometer.accelerationDataPromise.stream
        #expect(stream.count == 10)
        #expect(stream.futures.last?.text == "offline")
        #expect(stream.futures.first?.result?.value?.z == 0)
        accelerometer.stopAccelerometerUpdates()
        #expect(!accelerometer.accelerometerActive)
    }
}

@Suite("A Swift 5 client: a location manager's delegate", .watchdog)
struct TrackerTests {
    private let tracker = Tracker()

    @Test func `asks, then listens`() {
        var cities = [String]()
        var errors = [Error]()
        let locations = tracker.startUpdatingLocation(context: ImmediateContext())
        locations.onSuccess(context: ImmediateContext()) { cities += $0.map { $0.city } }
        locations.onFailure(context: ImmediateContext()) { errors.append($0) }
        let manager = tracker.manager
        #expect(!manager.isUpdating)
        manager.delegate?.locationManager(manager, didChangeAuthorization: true)
        #expect(manager.isUpdating)
        manager.delegate?.locationManager(manager, didUpdateLocations: [Location("Ulm"), Location("Bonn")])
        manager.delegate?.locationManager(manager, didFailWithError: WeatherError.unknownCity)
        manager.delegate?.locationManager(manager, didUpdateLocations: [Location("Köln")])
        #expect(cities == ["Ulm", "Bonn", "Köln"])
        #expect(errors.map { "\($0)" } == ["unknownCity"])
        #expect(tracker.visited.map { $0.city } == cities)
        #expect(locations.count == 3)
        tracker.stopUpdatingLocation()
        manager.delegate?.locationManager(manager, didUpdateLocations: [Location("Kiel")])
        #expect(cities.count == 3)
        #expect(locations.isFinished)
    }

    @Test(arguments: [true, false])
    func `keeps only as many elements as its capacity, and a refusal is the only element`(isAuthorized: Bool) {
        let locations = tracker.startUpdatingLocation(capacity: 2, context: ImmediateContext())
        let manager = tracker.manager
        manager.delegate?.locationManager(manager, didChangeAuthorization: isAuthorized)
        for city in ["Ulm", "Bonn", "Köln"] {
            manager.delegate?.locationManager(manager, didUpdateLocations: [Location(city)])
        }
        #expect(
            locations.futures.compactMap { $0.result?.value?.first?.city } == (isAuthorized ? ["Bonn", "Köln"] : []))
        #expect(locations.count == (isAuthorized ? 2 : 1))
        #expect(manager.isUpdating == isAuthorized)
    }
}
