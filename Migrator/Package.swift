// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that who uses SimpleFutures does not build swift-syntax.
let package = Package(
    name: "Migrator",
    platforms: [.macOS(.v13)],
    products: [.executable(name: "migrator", targets: ["migrator"])],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(
            name: "SourceFiles",
            dependencies: [
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftParserDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
            ]),
        .target(
            name: "Callbacks",
            dependencies: ["SourceFiles", .product(name: "SwiftSyntax", package: "swift-syntax")]),
        .target(
            name: "Scanning",
            dependencies: ["SourceFiles", "Callbacks", .product(name: "SwiftSyntax", package: "swift-syntax")]),
        .target(
            name: "Wrapping",
            dependencies: ["SourceFiles", "Callbacks", .product(name: "SwiftSyntax", package: "swift-syntax")]),
        .target(
            name: "Linting",
            dependencies: ["SourceFiles", .product(name: "SwiftSyntax", package: "swift-syntax")]),
        .target(
            name: "Porting",
            dependencies: ["SourceFiles", .product(name: "SwiftSyntax", package: "swift-syntax")]),
        .executableTarget(
            name: "migrator",
            dependencies: [
                "SourceFiles", "Callbacks", "Scanning", "Wrapping", "Linting", "Porting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(
            name: "SourceFilesTests",
            dependencies: ["SourceFiles", .product(name: "SwiftSyntax", package: "swift-syntax")]),
        .testTarget(name: "CallbacksTests", dependencies: ["Callbacks", "SourceFiles"]),
        .testTarget(name: "ScanningTests", dependencies: ["Scanning", "Callbacks", "SourceFiles"]),
        .testTarget(name: "WrappingTests", dependencies: ["Wrapping", "Callbacks", "SourceFiles"]),
        .testTarget(
            name: "LintingTests",
            dependencies: ["Linting", "SourceFiles"]),
        .testTarget(
            name: "PortingTests",
            dependencies: ["Porting", "SourceFiles"]),
        .testTarget(name: "CommandTests", dependencies: ["migrator", "SourceFiles"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    var settings = target.swiftSettings ?? []
    settings += [
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
        .enableUpcomingFeature("InternalImportsByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
    target.swiftSettings = settings
}
