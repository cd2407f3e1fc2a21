import Foundation

/// A declaration of the folder `Deprecated`, in calls as they were written for SimpleFutures 0.1 and as the fix-its
/// leave them.
struct Spelling {
    let declaration: String
    let old: [String]
    let today: [String]

    init(_ declaration: String, old: String, today: String) {
        self.declaration = declaration
        self.old = old.components(separatedBy: "\n")
        self.today = today.components(separatedBy: "\n")
    }

    static let all = ofFutures + ofStreams

    /// What no new name can serve, and a message must: it works, and there is no fix-it to leave it half right.
    static let withoutFixIt = ofFuturesWithoutFixIt + ofStreamsWithoutFixIt

    /// Today's calls with mistakes in their labels: old spellings must not be what the compiler takes them for.
    static let mistaken = [mistakenForFutures, mistakenForStreams]
}
