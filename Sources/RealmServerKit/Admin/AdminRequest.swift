// SPDX-License-Identifier: Apache-2.0

// A request of the server's page as a value.

#if Server
import Foundation

/// A request, independent of its receiver.
struct AdminRequest: Sendable {
  var method: String
  /// The parts of the path, decoded.
  var path: [String]
  /// The parameters after the question mark, decoded; of several with one name the last.
  var parameters: [String: String] = [:]
  /// The headers by their names in small letters; of several with one name the last.
  var headers: [String: String]
  /// The receiving port.
  var port: Int

  /// - Parameter target: The path and the parameters as they were sent.
  init(_ method: String, _ target: String, headers: [String: String] = [:], port: Int) {
    self.method = method
    self.headers = headers
    self.port = port
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = (parts.first ?? "").split(separator: "/").map { $0.removingPercentEncoding ?? "" }
    guard parts.count == 2 else { return }
    for pair in parts[1].split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let texts = halves.map {
        $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? ""
      }
      parameters[texts[0]] = texts.count == 2 ? texts[1] : ""
    }
  }

  func cookie(_ name: String) -> String? {
    for part in (headers["cookie"] ?? "").split(separator: ";") {
      let pair = part.drop { $0 == " " }
      if pair.hasPrefix("\(name)=") { return String(pair.dropFirst(name.count + 1)) }
    }
    return nil
  }
}
#endif
