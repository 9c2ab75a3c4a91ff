// SPDX-License-Identifier: Apache-2.0

// The documents of requests.

import RealmFormats

/// The JSON document of a request.
struct APIBody {
  let json: JSONValue

  init(_ request: APIRequest) throws(APIError) {
    do throws(JSONError) {
      json = try JSONParser.parse(request.body)
    } catch {
      throw APIError(400, "MalformedJson", "the body is not JSON")
    }
    guard case .object = json else {
      throw APIError(400, "MalformedJson", "the body is not a JSON document")
    }
  }

  /// A required string.
  func text(_ key: String) throws(APIError) -> String {
    guard let text = json[key]?.string else { throw .missing(key) }
    return text
  }

  /// The device's identifier from an earlier login; nil if there was none.
  var device: String? { json["options"]?["device"]?["deviceId"]?.string }
}
