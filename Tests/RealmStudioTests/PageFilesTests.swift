// SPDX-License-Identifier: Apache-2.0

#if Tools
import Foundation
import RealmPages
import TestExtensions
import Testing

@testable import RealmStudio

/// The page is part of the program: an installed program has nothing beside it.
struct PageFilesTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/RealmStudio/Page").standardizedFileURL

  @Test func theProgramHoldsEachFileOfThePageByteForByte() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    expectTrue(names.contains("index.html"))
    let page = PageFiles(pageTexts)
    for name in names {
      let response = try #require(page.response([name]), "\(name)")
      guard case .bytes(let bytes) = response.body else {
        Issue.record("\(name) is no answer of bytes")
        continue
      }
      let expected = try Data(contentsOf: Self.folder.appending(path: name))
      expectEqual(Data(bytes), expected, "\(name)")
    }
  }
}
#endif
