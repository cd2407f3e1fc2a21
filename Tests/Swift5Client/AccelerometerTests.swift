import Foundation
import SimpleFutures
import Testing

@Suite("A Swift 5 client: a sensor")
struct AccelerometerTests {
    // On the main actor, as the callbacks of the default context are: what they change has no lock.
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
        #expect(stream.futures.last?.result?.error as? WeatherError == .offline)
        #expect(stream.futures.first?.result?.value?.z == 0)
        accelerometer.stopAccelerometerUpdates()
        #expect(!accelerometer.accelerometerActive)
    }
}
