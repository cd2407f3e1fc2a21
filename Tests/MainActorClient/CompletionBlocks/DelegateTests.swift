import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Delegates in a main-actor module", .watchdog)
struct DelegateTests {
    @Test(arguments: Origin.allCases, Answer.allCases)
    func `a delegate that is called elsewhere completes a promise`(origin: Origin, answer: Answer) async {
        let request = DownloadRequest()
        let downloader = Downloader(delegate: request)
        downloader.start(from: origin, answer)
        let outcome = await request.text.outcome
        #expect(outcome.value == answer.text)
        #expect(outcome.error as? AppError == answer.error)
    }

    @Test(arguments: Origin.allCases)
    func `its callbacks are on the main actor again`(origin: Origin) async {
        let request = DownloadRequest()
        let downloader = Downloader(delegate: request)
        request.start(downloader, from: origin)
        await until { request.isDone }
        #expect(request.shown == "one")
    }
}

nonisolated protocol DownloaderDelegate: AnyObject, Sendable {
    func downloader(_ downloader: Downloader, didFinish text: String)
    func downloader(_ downloader: Downloader, didFail error: any Error)
}

nonisolated final class Downloader: Sendable {
    private let delegate: any DownloaderDelegate

    init(delegate: any DownloaderDelegate) { self.delegate = delegate }

    func start(from origin: Origin, _ answer: Answer) {
        origin.call { [self] in
            if let text = answer.text { delegate.downloader(self, didFinish: text) }
            if let error = answer.error { delegate.downloader(self, didFail: error) }
        }
    }
}

@MainActor private final class DownloadRequest: DownloaderDelegate {
    private let promise = Promise<String>()
    private(set) var shown = ""
    private(set) var isDone = false

    var text: Future<String> { promise.future }

    func start(_ downloader: Downloader, from origin: Origin) {
        text.onSuccess { text in MainActor.assumeIsolated { self.shown = text } }
        text.onComplete { _ in MainActor.assumeIsolated { self.isDone = true } }
        downloader.start(from: origin, .value)
    }

    nonisolated func downloader(_ downloader: Downloader, didFinish text: String) { promise.success(text) }
    nonisolated func downloader(_ downloader: Downloader, didFail error: any Error) { promise.failure(error) }
}
