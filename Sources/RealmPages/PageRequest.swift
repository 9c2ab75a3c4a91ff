// SPDX-License-Identifier: Apache-2.0

// A request of a page as a value.

#if Tools || Server
import Foundation

/// A request, independent of its receiver.
package struct PageRequest: Sendable {
  package var method: String
  /// The parts of the path, decoded; none for the page itself.
  package var path: [String]
  /// The parameters after the question mark, decoded; of several with one name the last.
  package var parameters: [String: String] = [:]
  /// The headers by their names in small letters; of several with one name the last.
  package var headers: [String: String]
  package var body: [UInt8]
  /// The receiving port.
  package var port: Int

  /// - Parameter target: The path and the parameters as they were sent.
  package init(
    _ method: String, _ target: String, headers: [String: String] = [:], body: [UInt8] = [],
    port: Int
  ) {
    self.method = method
    self.headers = headers
    self.body = body
    self.port = port
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = Self.path(parts.first ?? "")
    guard parts.count == 2 else { return }
    for pair in parts[1].split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let texts = halves.map {
        $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? ""
      }
      parameters[texts[0]] = texts.count == 2 ? texts[1] : ""
    }
  }

  /// The parts of a path. An empty part stays: `//` is not the page, nor is `/a/` the same as `/a`.
  private static func path(_ text: Substring) -> [String] {
    if text == "/" { return [] }
    return (text.hasPrefix("/") ? text.dropFirst() : text)
      .split(separator: "/", omittingEmptySubsequences: false)
      .map { $0.removingPercentEncoding ?? "" }
  }

  /// The path as one text.
  package var pathText: String { "/" + path.joined(separator: "/") }

  /// The value of a cookie; nil if the request has none of that name.
  package func cookie(_ name: String) -> String? {
    for part in (headers["cookie"] ?? "").split(separator: ";") {
      let pair = part.drop { $0 == " " }
      if pair.hasPrefix("\(name)=") { return String(pair.dropFirst(name.count + 1)) }
    }
    return nil
  }
}
#endif
