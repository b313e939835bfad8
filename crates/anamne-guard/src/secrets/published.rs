//! Values that documentation publishes as examples.

use super::codes::{base64, fingerprint};

/// [`fingerprint`]s of published values that no rule covers, sorted.
const PUBLISHED: [u64; 34] = [
    0x035B_3BD1_B809_806B,
    0x04E0_F496_3B7F_E6C0,
    0x1313_4234_DEBB_F417,
    0x13CE_0885_5989_058A,
    0x1ECD_DCA8_5461_A374,
    0x240C_E4BF_7699_B5B4,
    0x28EA_CD48_FD99_771E,
    0x3008_24E1_87B4_18B6,
    0x3179_5576_0576_AA97,
    0x39CB_062B_D9A0_011A,
    0x3D94_A0F3_5F27_FE22,
    0x3F19_D3B1_6C05_5CCB,
    0x454E_624F_C38A_3BEF,
    0x4583_3BC1_1EB1_16D9,
    0x4A1F_BBE4_7BB3_8199,
    0x5B74_7F2B_FC81_A208,
    0x7291_A942_13C1_D39B,
    0x9085_D188_31F4_0759,
    0x910E_5542_032C_3EE5,
    0x9752_7867_2CEB_19F9,
    0x9B28_C4D5_71D8_3A77,
    0x9E60_6AE5_2688_8E3D,
    0xA075_4598_3981_333A,
    0xA092_6128_D733_C884,
    0xC167_FBC0_DF1A_2A05,
    0xD565_F60F_9830_7295,
    0xDE57_2871_E6B6_B761,
    0xE644_4B96_877E_83F4,
    0xE955_7EDA_91CE_D904,
    0xF790_C43A_813E_4907,
    0xFAA6_54DB_7818_3DA9,
    0xFB7F_9BB5_4A63_E7F8,
    0xFD5E_9C53_7799_FB7D,
    0xFF91_D5F9_60A5_FE48,
];

/// Whether a value is published as an example, so that nobody can use it. O(bytes).
pub(crate) fn is_published_example(value: &str) -> bool {
    is_marked(value)
        || is_sample_token(value)
        || PUBLISHED.binary_search(&fingerprint(value)).is_ok()
}

/// AWS and others end their examples with the word.
fn is_marked(value: &str) -> bool {
    value.ends_with("EXAMPLE") || value.ends_with("EXAMPLEKEY")
}

/// Web tokens about the sample person of the standard's tutorials.
fn is_sample_token(value: &str) -> bool {
    if !value.starts_with("ey") || value.len() > 4_096 {
        return false;
    }
    let payload = value
        .split('.')
        .nth(1)
        .and_then(|payload| base64(payload.as_bytes()));
    payload.is_some_and(|json| {
        let json = String::from_utf8_lossy(&json);
        json.contains("\"1234567890\"") && json.contains("John Doe")
    })
}
