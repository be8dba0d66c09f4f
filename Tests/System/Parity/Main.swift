/// The same program in regular and in Embedded Swift, and on every board: it takes the layers that
/// read no clock, no file and no socket through a fixed life and writes down what they did. Its
/// output is the same everywhere, byte for byte, or something differs that no test sees.
@main struct Main {
  static func main() {
    var transcript = Transcript()
    writeNumbers(to: &transcript)
    writeBytes(to: &transcript)
    writeTimes(to: &transcript)
    writeJSON(to: &transcript)
    readJSON(to: &transcript)
    keepJSON(to: &transcript)
    filterFixes(to: &transcript)
    talkToGPSD(to: &transcript)
    watchAnAnchor(to: &transcript)
    superviseASource(to: &transcript)
    decodeModels(to: &transcript)
    keepCaches(to: &transcript)
    judgeAnswers(to: &transcript)
    keepARegistration(to: &transcript)
    writeLocations(to: &transcript)
    talkToTheWebhook(to: &transcript)
    compareVersions(to: &transcript)
    deliver(to: &transcript)
  }
}
