import SimpleFutures
import Testing
@testable import TestSupport

@Suite("CreationSite", .watchdog)
struct CreationSiteTests {
    @Test func `it names the place where it was created`() {
        let site = CreationSite()
        #expect(site.fileID == #fileID)
        #expect(site.line == #line - 2)
    }

    @Test func `it names the given place`() {
        let site = CreationSite(fileID: "App/Profile.swift", line: 42)
        #expect(site.fileID == "App/Profile.swift")
        #expect(site.line == 42)
        #expect(site.description == "App/Profile.swift:42")
        #expect("\(site)" == "App/Profile.swift:42")
    }

    @Test func `equal places are equal and hash alike`() {
        let site = CreationSite(fileID: "App/Profile.swift", line: 42)
        let same = CreationSite(fileID: "App/Profile.swift", line: 42)
        #expect(site == same)
        #expect(site.hashValue == same.hashValue)
        #expect(site != CreationSite(fileID: "App/Profile.swift", line: 43))
        #expect(site != CreationSite(fileID: "App/Other.swift", line: 42))
    }

    @Test func `an empty file name and a huge line do no harm`() {
        #expect(CreationSite(fileID: "", line: 0).description == ":0")
        #expect(CreationSite(fileID: "a", line: .max).line == Int(UInt32.max))
    }

    @Test func `a file name of one character is kept`() {
        #expect(CreationSite(fileID: "ä", line: 1).fileID == "ä")
    }
}
