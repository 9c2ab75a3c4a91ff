// SPDX-License-Identifier: Apache-2.0

// Benchmarks delete what they made, and nothing else.

import BenchmarkSupport
import Foundation
import Testing

@Suite struct ScratchFolderTests {
  private let files = FileManager.default
  private let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  @Test func whatWasInTheNamedFolderStays() throws {
    let folder = place.appending(path: "documents")
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: place) }
    let letter = folder.appending(path: "fresh.realm")
    try Data("precious".utf8).write(to: letter)
    let scratch = try ScratchFolder(in: folder.path)
    try Data("figures".utf8).write(to: scratch.url.appending(path: "fresh.realm"))
    scratch.remove()
    #expect(try files.contentsOfDirectory(atPath: folder.path) == ["fresh.realm"])
    #expect(try Data(contentsOf: letter) == Data("precious".utf8))
  }

  @Test func anEmptyNamedFolderStaysIfItWasThere() throws {
    try files.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: place) }
    try ScratchFolder(in: place.path).remove()
    #expect(files.fileExists(atPath: place.path))
  }

  @Test func aFolderThatWasMadeGoesWhenItIsEmpty() throws {
    try ScratchFolder(in: place.path).remove()
    #expect(!files.fileExists(atPath: place.path))
    let scratch = try ScratchFolder(in: place.path)
    defer { try? files.removeItem(at: place) }
    let report = place.appending(path: "report.txt")
    try Data("kept".utf8).write(to: report)
    scratch.remove()
    #expect(files.fileExists(atPath: report.path))
    #expect(!files.fileExists(atPath: scratch.url.path))
  }

  @Test func twoRunsHaveFoldersOfTheirOwn() throws {
    let first = try ScratchFolder(in: place.path)
    let second = try ScratchFolder(in: place.path)
    defer { try? files.removeItem(at: place) }
    first.remove()
    #expect(files.fileExists(atPath: second.url.path))
    second.remove()
  }
}
